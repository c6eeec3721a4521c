//! `docs/operators.md`: what there is, what passes, and what does not and why.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::RangeInclusive;

use stratal_eager::{derivatives, without_derivative};
use stratal_ops::{ANY_NUMBER, Definition, definitions, dtypes};
use stratal_tensor_base::DType;

use crate::ledger::{Ledger, Outcome, Row, Tally};
use crate::reasons::{self, Kind};
use crate::suite::full_name;

const OPENING: &str = "\
# Operators

<!-- Written by `cargo xtask conformance --write`; a test fails when it is not what the code and the ledger say. -->

What the crate `stratal-ops` has, and how it does in ONNX's operator suite. The suite's cases of single operators are meant;
those where an operator is written as a function of others are left out.

- *opset* is the version of the operator set that gave the operator the form that it has here.
- *dtypes* are those of its first input, or of its first output where it has no input. Words stand for several: *floats* (16, 32 and
  64 bits, bfloat16), *integers* (8 to 64 bits, signed or not), *unsigned* (those without a sign), *numbers* (floats and
  integers), *signed numbers*, *indices* (int32, int64), *all* (numbers and bool).
- *gradient* says whether variables of `stratal-eager` go backward through it: *yes*, and gradients have gradients of their own;
  *once*, when they have not; *no*, for a reason that stands below; and nothing where no floats go in.
- *cases* are those of the suite that pass, of those that there are.
";

const GRADIENTS: &str = "
## Without a gradient

Operators of floats through which nothing goes backward, and why.
";

const ANSWERS: &str = "
## Where answers differ

These operators are there and give another answer than the suite expects, since the numeric policy ([numerics.md](numerics.md))
wins. ONNX Runtime is a witness and not the law: where it follows the suite, it differs as well. Differences that no case shows
stand on the operator's own page.
";

const OTHERS: &str = "
## What does not pass

All other cases that do not pass, by reason, with the names of cases where the operator is there.
";

/// The whole document.
pub(crate) fn render(ledger: &Ledger) -> String {
    let mut text = OPENING.to_owned();
    // Writing to a text cannot fail.
    let _ = write_all(&mut text, ledger);
    text
}

fn write_all(text: &mut String, ledger: &Ledger) -> std::fmt::Result {
    let tallies = ledger.by_operator();
    let operators: BTreeMap<_, _> = definitions().map(|d| (full_name(d.domain, d.name), d)).collect();
    let Tally { passed, .. } = ledger.total();
    let (count, present) = (operators.len(), ledger.total().present());
    writeln!(text, "\nThere are {count} operators; {passed} of {present} cases pass.\n")?;
    writeln!(
        text,
        "| operator | opset | dtypes | inputs | outputs | gradient | cases |\n|---|---|---|---|---|---|---|"
    )?;
    let gradients = gradients();
    for (name, definition) in &operators {
        let Definition { since, inputs, outputs, dtypes, .. } = definition;
        let (inputs, outputs) = (range(inputs), range(outputs));
        let tally = tallies.get(name.as_str()).copied().unwrap_or_default();
        let cases =
            if tally.present() == 0 { "none".to_owned() } else { format!("{} of {}", tally.passed, tally.present()) };
        let gradient = gradients.get(name.as_str()).copied().unwrap_or_default();
        writeln!(text, "| {name} | {since} | {} | {inputs} | {outputs} | {gradient} | {cases} |", words(dtypes))?;
    }
    text.push_str(GRADIENTS);
    text.push('\n');
    let mut reasons = without_derivative().to_vec();
    reasons.sort_unstable();
    for (name, reason) in reasons {
        writeln!(text, "- {name}: {reason}")?;
    }
    write_group(text, ANSWERS, ledger, &operators, is_answer)?;
    write_group(text, OTHERS, ledger, &operators, |case, row| !is_answer(case, row))
}

/// What the column says of each operator that floats go into.
fn gradients() -> BTreeMap<String, &'static str> {
    let there = derivatives().map(|info| {
        let name = full_name(info.definition.domain, info.definition.name);
        (name, if info.is_differentiable { "yes" } else { "once" })
    });
    let missing = without_derivative().iter().map(|&(name, _)| (name.to_owned(), "no"));
    missing.chain(there).collect()
}

fn is_answer(case: &str, row: &Row) -> bool {
    row.outcome == Outcome::Failed && reasons::of(case).is_some_and(|reason| reason.kind == Kind::Answer)
}

/// Those cases that do not pass and are meant, by reason, if there are any.
fn write_group(
    text: &mut String,
    opening: &str,
    ledger: &Ledger,
    operators: &BTreeMap<String, &Definition>,
    is_meant: impl Fn(&str, &Row) -> bool,
) -> std::fmt::Result {
    let mut by_reason = BTreeMap::<_, BTreeMap<_, Vec<_>>>::new();
    for (case, row) in &ledger.0 {
        if row.outcome != Outcome::Passed && is_meant(case, row) {
            let cases = by_reason.entry(row.reason.as_str()).or_default();
            cases.entry(row.operator.as_str()).or_default().push(case.as_str());
        }
    }
    if by_reason.is_empty() {
        return Ok(());
    }
    text.push_str(opening);
    for (reason, cases) in by_reason {
        let count: usize = cases.values().map(Vec::len).sum();
        let plural = if count == 1 { "" } else { "s" };
        writeln!(text, "\n**{}**, {count} case{plural}:\n", capitalized(reason))?;
        for (operator, cases) in cases {
            if operators.contains_key(operator) {
                writeln!(text, "- {operator}: {}", cases.join(", "))?;
            } else {
                writeln!(text, "- {operator}: {}", cases.len())?;
            }
        }
    }
    Ok(())
}

fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

fn range(range: &RangeInclusive<usize>) -> String {
    match (*range.start(), *range.end()) {
        (least, ANY_NUMBER) => format!("{least} or more"),
        (least, most) if least == most => format!("{least}"),
        (least, most) => format!("{least} to {most}"),
    }
}

/// Dtypes in few words: a set with a name, or all names.
fn words(dtypes: &[DType]) -> String {
    const SETS: [(&[DType], &str); 6] = [
        (dtypes::ALL, "all"),
        (dtypes::NUMBERS, "numbers"),
        (dtypes::SIGNED_NUMBERS, "signed numbers"),
        (dtypes::INTEGERS, "integers"),
        (dtypes::FLOATS, "floats"),
        (dtypes::UNSIGNED, "unsigned"),
    ];
    let has_all = |set: &[DType], of: &[DType]| of.iter().all(|dtype| set.contains(dtype));
    let mut words = Vec::new();
    let mut left = dtypes.to_vec();
    for (set, word) in SETS.into_iter().chain([(dtypes::INDICES, "indices")]) {
        if left.len() >= set.len() && has_all(&left, set) {
            left.retain(|dtype| !set.contains(dtype));
            words.push(word);
        }
    }
    words.extend(left.iter().map(|dtype| dtype.name()));
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::committed;

    #[test]
    fn the_document_is_what_the_code_and_the_ledger_say() {
        let expected = render(&Ledger::load().unwrap());
        assert!(committed::document() == expected, "run `cargo xtask conformance --write`; it should be\n{expected}");
    }

    #[test]
    fn sets_of_dtypes_have_words() {
        assert_eq!(words(dtypes::ALL), "all");
        assert_eq!(words(dtypes::FLOATS), "floats");
        assert_eq!(words(&[DType::I64, DType::I32]), "indices");
        assert_eq!(words(&[dtypes::FLOATS, dtypes::INDICES].concat()), "floats, indices");
        assert_eq!(words(&[DType::F32, DType::Bool]), "float32, bool");
    }

    #[test]
    fn ranges_are_numbers_or_words() {
        assert_eq!(range(&(1..=1)), "1");
        assert_eq!(range(&(1..=3)), "1 to 3");
        assert_eq!(range(&(0..=ANY_NUMBER)), "0 or more");
    }

    #[test]
    fn what_does_not_pass_stands_under_its_reason() {
        let row =
            |operator: &str, outcome, reason: &str| Row { operator: operator.into(), outcome, reason: reason.into() };
        let rows = [
            ("test_a".to_owned(), row("Abs", Outcome::Passed, "")),
            ("test_b".to_owned(), row("Abs", Outcome::Absent, "dtype int4")),
            ("test_c".to_owned(), row("Abs", Outcome::Absent, "dtype int4")),
            ("test_d".to_owned(), row("Nonsense", Outcome::Absent, "no such operator")),
        ];
        let text = render(&Ledger(rows.into()));
        assert!(text.contains("1 of 4 cases pass"), "{text}");
        assert!(text.contains("\n| Abs | 13 | numbers | 1 | 1 | yes | 1 of 3 |\n"), "{text}");
        let end = "## What does not pass\n\nAll other cases that do not pass, by reason, with the names of cases where the operator is \
                   there.\n\n**Dtype int4**, 2 cases:\n\n- Abs: test_b, test_c\n\n**No such operator**, 1 case:\n\n- Nonsense: 1\n";
        assert!(text.ends_with(end), "{text}");
        assert!(!text.contains("Where answers differ"), "{text}");
    }
}
