//! `Ledger`: what became of each case, as committed in `ledger.tsv`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context as _, Result, bail};

/// The first line of the file.
const HEADER: &str = "case\toperator\toutcome\treason";

/// What became of each case, by its name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Ledger(pub(crate) BTreeMap<String, Row>);

/// What became of one case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) operator: String,
    pub(crate) outcome: Outcome,
    /// Why it did not pass; empty if it did.
    pub(crate) reason: String,
}

/// What can become of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    /// All outputs are as expected.
    Passed,
    /// Something else came out, or an error.
    Failed,
    /// What it needs is not there.
    Absent,
}

/// How many cases came out how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Tally {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) absent: usize,
}

/// How a run differs from the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Comparison {
    /// Cases that passed once and do not any more, each with what became of it.
    pub(crate) lost: Vec<(String, String)>,
    /// Cases that pass now.
    pub(crate) gained: Vec<String>,
    /// Cases that do not pass, for another reason than before.
    pub(crate) changed: Vec<String>,
}

impl Ledger {
    /// # Errors
    /// With the number of the line that is malformed.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let mut lines = text.lines();
        if lines.next() != Some(HEADER) {
            bail!("line 1 is not {HEADER:?}");
        }
        let mut rows = BTreeMap::new();
        for (number, line) in (2..).zip(lines) {
            let (case, row) = parse_row(line).with_context(|| format!("line {number} is malformed: {line:?}"))?;
            if rows.insert(case, row).is_some() {
                bail!("line {number} names a case that was named before: {line:?}");
            }
        }
        Ok(Self(rows))
    }

    pub(crate) fn render(&self) -> String {
        let mut text = format!("{HEADER}\n");
        for (case, Row { operator, outcome, reason }) in &self.0 {
            // Writing to a text cannot fail.
            let _ = writeln!(text, "{case}\t{operator}\t{}\t{reason}", outcome.name());
        }
        text
    }

    /// How a run differs from this ledger, whose other operators were not run if one is given.
    pub(crate) fn compare(&self, run: &Self, only: Option<&str>) -> Comparison {
        let mut comparison = Comparison::default();
        for (case, old) in self.0.iter().filter(|(_, row)| only.is_none_or(|only| row.operator == only)) {
            let new = run.0.get(case);
            match (old.outcome, new.map(|row| row.outcome)) {
                (Outcome::Passed, Some(Outcome::Passed)) => {}
                (Outcome::Passed, _) => {
                    let why = new.map_or("the suite does not have it any more", |row| &row.reason);
                    comparison.lost.push((case.clone(), why.to_owned()));
                }
                (_, Some(Outcome::Passed)) => comparison.gained.push(case.clone()),
                _ if new != Some(old) => comparison.changed.push(case.clone()),
                _ => {}
            }
        }
        for (case, row) in run.0.iter().filter(|(case, _)| !self.0.contains_key(*case)) {
            let list = if row.outcome == Outcome::Passed { &mut comparison.gained } else { &mut comparison.changed };
            list.push(case.clone());
        }
        comparison
    }

    /// This ledger with what a run of all operators, or of one, says.
    pub(crate) fn updated(&self, run: Self, only: Option<&str>) -> Self {
        let is_kept = |row: &Row| only.is_some_and(|only| row.operator != only);
        let kept = self.0.iter().filter(|(_, row)| is_kept(row)).map(|(case, row)| (case.clone(), row.clone()));
        Self(kept.chain(run.0).collect())
    }

    /// How the cases of each operator came out.
    pub(crate) fn by_operator(&self) -> BTreeMap<&str, Tally> {
        let mut tallies = BTreeMap::<_, Tally>::new();
        for row in self.0.values() {
            tallies.entry(row.operator.as_str()).or_default().add(row.outcome);
        }
        tallies
    }

    /// How all cases came out.
    pub(crate) fn total(&self) -> Tally {
        let mut tally = Tally::default();
        self.0.values().for_each(|row| tally.add(row.outcome));
        tally
    }
}

fn parse_row(line: &str) -> Result<(String, Row)> {
    let fields: Vec<_> = line.split('\t').collect();
    let [case, operator, outcome, reason] = fields[..] else { bail!("it has {} columns, not 4", fields.len()) };
    let outcome = [Outcome::Passed, Outcome::Failed, Outcome::Absent].into_iter().find(|known| known.name() == outcome);
    let outcome = outcome.context("its outcome is unknown")?;
    Ok((case.to_owned(), Row { operator: operator.to_owned(), outcome, reason: reason.to_owned() }))
}

impl Outcome {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Absent => "absent",
        }
    }
}

impl Tally {
    pub(crate) fn present(&self) -> usize {
        self.passed + self.failed + self.absent
    }

    fn add(&mut self, outcome: Outcome) {
        *match outcome {
            Outcome::Passed => &mut self.passed,
            Outcome::Failed => &mut self.failed,
            Outcome::Absent => &mut self.absent,
        } += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "case\toperator\toutcome\treason\ntest_a\tAbs\tpassed\t\ntest_b\tAbs\tfailed\tother numbers\n\
                        test_c\tCast\tabsent\tdtype int4\n";

    fn ledger(rows: &[(&str, &str, Outcome, &str)]) -> Ledger {
        let row = |&(case, operator, outcome, reason): &(&str, &str, Outcome, &str)| {
            (case.to_owned(), Row { operator: operator.to_owned(), outcome, reason: reason.to_owned() })
        };
        Ledger(rows.iter().map(row).collect())
    }

    fn committed() -> Ledger {
        ledger(&[
            ("test_a", "Abs", Outcome::Passed, ""),
            ("test_b", "Abs", Outcome::Failed, "other numbers"),
            ("test_c", "Cast", Outcome::Absent, "dtype int4"),
        ])
    }

    #[test]
    fn what_is_written_is_read_again() {
        assert_eq!(committed().render(), TEXT);
        assert_eq!(Ledger::parse(TEXT).unwrap(), committed());
    }

    #[test]
    fn malformed_ledgers_are_errors_that_name_the_line() {
        let error = |text: &str| format!("{:#}", Ledger::parse(text).unwrap_err());
        assert!(error("").starts_with("line 1 is not"), "{}", error(""));
        let with = |line: &str| error(&format!("{TEXT}{line}\n"));
        assert_eq!(with("x"), r#"line 5 is malformed: "x": it has 1 columns, not 4"#);
        assert!(with("x\tAbs\tlost\t").ends_with("its outcome is unknown"));
        assert!(with("test_a\tAbs\tpassed\t").starts_with("line 5 names a case that was named before"));
    }

    #[test]
    fn a_case_that_passed_once_is_missed() {
        let run = ledger(&[
            ("test_a", "Abs", Outcome::Failed, "element 0 is 1, not 2"),
            ("test_b", "Abs", Outcome::Passed, ""),
            ("test_c", "Cast", Outcome::Absent, "dtype int2"),
            ("test_d", "Cast", Outcome::Passed, ""),
        ]);
        let expected = Comparison {
            lost: vec![("test_a".into(), "element 0 is 1, not 2".into())],
            gained: vec!["test_b".into(), "test_d".into()],
            changed: vec!["test_c".into()],
        };
        assert_eq!(committed().compare(&run, None), expected);
        let gone = committed().compare(&Ledger::default(), None);
        assert_eq!(gone.lost, [("test_a".to_owned(), "the suite does not have it any more".to_owned())]);
        assert_eq!(committed().compare(&committed(), None), Comparison::default());
    }

    #[test]
    fn a_run_of_one_operator_says_nothing_of_the_others() {
        let run = ledger(&[("test_c", "Cast", Outcome::Passed, "")]);
        let comparison = committed().compare(&run, Some("Cast"));
        assert_eq!(comparison, Comparison { gained: vec!["test_c".into()], ..Comparison::default() });
        let updated = committed().updated(run.clone(), Some("Cast"));
        assert_eq!(updated.total(), Tally { passed: 2, failed: 1, absent: 0 });
        assert_eq!(updated.by_operator()["Abs"], Tally { passed: 1, failed: 1, absent: 0 });
        assert_eq!(committed().updated(run.clone(), None), run);
    }
}
