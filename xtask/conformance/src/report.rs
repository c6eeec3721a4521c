//! What a run prints: outcomes by operator and in total, what was wrong, and how the ledger differs.

use std::fmt::Write as _;

use crate::ledger::{Comparison, Tally};
use crate::run::Run;

/// The text; `is_written` if the ledger is about to become what was found.
pub(crate) fn render(run: &Run, comparison: &Comparison, is_written: bool) -> String {
    let mut text = String::new();
    // Writing to a text cannot fail.
    let _ = write_all(&mut text, run, comparison, is_written);
    text
}

fn write_all(text: &mut String, run: &Run, comparison: &Comparison, is_written: bool) -> std::fmt::Result {
    writeln!(text, "{:<44}{:>8}{:>8}{:>10}", "operator", "passed", "failed", "not there")?;
    let operators = run.ledger.by_operator();
    for (operator, tally) in operators.into_iter().chain([("total", run.ledger.total())]) {
        let Tally { passed, failed, absent } = tally;
        writeln!(text, "{operator:<44}{passed:>8}{failed:>8}{absent:>10}")?;
    }
    if !run.faults.is_empty() {
        writeln!(text, "\nfailed:")?;
    }
    for (case, fault) in &run.faults {
        let reason = &run.ledger.0[case].reason;
        let known = if reason.starts_with("unexplained") { String::new() } else { format!(" ({reason})") };
        writeln!(text, "  {case}: {fault}{known}")?;
    }
    let Comparison { lost, gained, changed } = comparison;
    if !is_written && gained.len() + changed.len() > 0 {
        let (gained, changed) = (gained.len(), changed.len());
        writeln!(
            text,
            "\nthe ledger is behind: {gained} cases more pass, {changed} have another reason; --write brings it up"
        )?;
    }
    if !lost.is_empty() {
        writeln!(text, "\npassed once, and not any more:")?;
    }
    for (case, fault) in lost {
        writeln!(text, "  {case}: {fault}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::{Ledger, Outcome, Row};

    #[test]
    fn the_report_names_what_failed_and_what_was_lost() {
        let row =
            |operator: &str, outcome, reason: &str| Row { operator: operator.into(), outcome, reason: reason.into() };
        let rows = [
            ("test_a".to_owned(), row("Abs", Outcome::Passed, "")),
            ("test_b".to_owned(), row("Abs", Outcome::Failed, "unexplained: 1, not 2")),
            ("test_c".to_owned(), row("Cast", Outcome::Failed, "drawn")),
            ("test_d".to_owned(), row("Cast", Outcome::Absent, "dtype int4")),
        ];
        let faults = vec![("test_b".to_owned(), "1, not 2".to_owned()), ("test_c".to_owned(), "3, not 4".to_owned())];
        let run = Run { ledger: Ledger(rows.into()), passed: Vec::new(), faults };
        let comparison = Comparison {
            lost: vec![("test_b".into(), "unexplained: 1, not 2".into())],
            gained: vec!["test_a".into()],
            changed: Vec::new(),
        };
        let expected = "\
operator                                      passed  failed not there
Abs                                                1       1         0
Cast                                               0       1         1
total                                              1       2         1

failed:
  test_b: 1, not 2
  test_c: 3, not 4 (drawn)

the ledger is behind: 1 cases more pass, 0 have another reason; --write brings it up

passed once, and not any more:
  test_b: unexplained: 1, not 2
";
        assert_eq!(render(&run, &comparison, false), expected);
        assert!(!render(&run, &comparison, true).contains("behind"));
    }
}
