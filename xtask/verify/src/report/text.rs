//! The report as text: a table, the witnesses' deviations, the first mismatches, the totals.

use std::io::{Result, Write};

use super::{ErrorReport, Report, RowReport, SweepReport, WitnessReport};
use crate::{catalogue::Entry, tally::WorstError};

/// Names the sweeps, one a line.
pub(crate) fn list(out: &mut impl Write, entries: &[Entry]) -> Result<()> {
    for entry in entries {
        writeln!(out, "{:<16}  {}", entry.name(), entry.description())?;
    }
    Ok(())
}

pub(crate) fn write(out: &mut impl Write, report: &Report) -> Result<()> {
    write_table(out, report)?;
    write_witnesses(out, report)?;
    write_errors(out, report)?;
    write_resumed(out, report)?;
    write_mismatches(out, report)?;
    write_totals(out, report)
}

fn write_table(out: &mut impl Write, report: &Report) -> Result<()> {
    writeln!(
        out,
        "{:<17} {:<15} {:<16} {:>14} {:>13} {:>9} {:>12}",
        "sweep", "backend", "against", "patterns", "mismatches", "time", "patterns/s"
    )?;
    for sweep in &report.sweeps {
        for row in &sweep.rows {
            write_row(out, sweep, row)?;
        }
    }
    writeln!(
        out,
        "Time is that of all threads together: for the reference to walk, for the others to convert and compare."
    )
}

fn write_row(out: &mut impl Write, sweep: &SweepReport, row: &RowReport) -> Result<()> {
    let mark = if sweep.resumed_parts > 0 { "*" } else { "" };
    writeln!(
        out,
        "{:<17} {:<15} {:<16} {:>14} {:>13} {:>9} {:>12}",
        format!("{}{mark}", sweep.name),
        row.backend,
        row.against,
        grouped(row.patterns),
        grouped(row.mismatches),
        format!("{:.2} s", row.seconds),
        format!("{:.0} M", row.patterns_per_second / 1e6),
    )
}

fn write_witnesses(out: &mut impl Write, report: &Report) -> Result<()> {
    let mut title = "\nSignaling NaNs on which a witness leaves one NaN rule and follows the other:\n";
    for sweep in &report.sweeps {
        for row in &sweep.rows {
            if let Some(witness) = &row.witness {
                write!(out, "{title}")?;
                title = "";
                write_witness(out, &sweep.name, row.backend, witness)?;
            }
        }
    }
    Ok(())
}

fn write_witness(out: &mut impl Write, sweep: &str, backend: &str, witness: &WitnessReport) -> Result<()> {
    let quiet = grouped(witness.deviations_from_quiet);
    let preserving = grouped(witness.deviations_from_preserving);
    write!(out, "  {sweep:<15} {backend:<15} {quiet:>9} off the quiet rule, {preserving:>9} off the preserving rule")?;
    match witness.expected {
        Some(expected) if witness.is_as_expected() => {
            writeln!(out, ", {} as expected", grouped(expected))
        }
        Some(expected) => writeln!(out, ", NOT {} AS EXPECTED", grouped(expected)),
        None => writeln!(out),
    }
}

fn write_errors(out: &mut impl Write, report: &Report) -> Result<()> {
    let mut title = "\nLargest errors in ulp, of the backend that is compared with f64; others must have its bits:\n";
    for sweep in &report.sweeps {
        for row in &sweep.rows {
            if let Some(ErrorReport { worst: WorstError { ulps, input }, bound }) = row.error {
                let value = f32::from_bits(input);
                writeln!(out, "{title}  {:<15} {ulps:.4} at {input:#010x} ({value:e}), bound {bound}", sweep.name)?;
                title = "";
            }
        }
    }
    Ok(())
}

fn write_resumed(out: &mut impl Write, report: &Report) -> Result<()> {
    let mut title = "\n* Counted in part by the interrupted run that was resumed:\n";
    for sweep in report.sweeps.iter().filter(|sweep| sweep.resumed_parts > 0) {
        let SweepReport { name, parts, resumed_parts, .. } = sweep;
        writeln!(out, "{title}  {name:<15} {resumed_parts} of {parts} parts")?;
        title = "";
    }
    Ok(())
}

fn write_mismatches(out: &mut impl Write, report: &Report) -> Result<()> {
    for sweep in report.sweeps.iter().filter(|sweep| !sweep.mismatches.is_empty()) {
        writeln!(out, "\nFirst mismatches of {}:", sweep.name)?;
        for found in &sweep.mismatches {
            let mismatch = &found.mismatch;
            writeln!(
                out,
                "  {}, {}: {} gave {}, expected {}",
                found.backend, found.against, mismatch.input, mismatch.got, mismatch.expected
            )?;
        }
    }
    Ok(())
}

fn write_totals(out: &mut impl Write, report: &Report) -> Result<()> {
    let patterns = report.rows().map(|row| row.patterns).sum();
    let mismatches = report.rows().map(|row| row.mismatches).sum();
    writeln!(
        out,
        "\n{} sweep {}: {} results compared in {:.1} s on {} threads, {} of them wrong",
        if report.quick { "Quick" } else { "Full" },
        if report.passed() { "passed" } else { "FAILED" },
        grouped(patterns),
        report.seconds,
        report.threads,
        grouped(mismatches),
    )
}

/// A number with its digits in groups of three.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use clap::Parser;

    use super::*;
    use crate::{
        half::backends::SCALAR,
        options::Options,
        run::{engine::Ready, ledger::Ledger},
        sweep::{Part, Row, Sweep},
        tally::{Deviations, Mismatch, Tally},
    };

    /// A sweep with a backend and a witness.
    struct Planted;

    impl Sweep for Planted {
        fn rows(&self) -> Vec<Row> {
            let row = |backend, deviations| Row { backend, against: "a rule", deviations, error_bound: None };
            vec![row(SCALAR.name, None), row("witness", Some(2))]
        }

        fn parts(&self) -> Vec<Part> {
            vec![]
        }

        fn count(&self, _: u32) -> Vec<Tally> {
            vec![]
        }
    }

    /// The text about these results of a full run, and whether it passed.
    fn report(backend: Tally, from_quiet: u64, resumed: &Ledger) -> (String, bool) {
        let witness = Tally { deviations: Deviations { from_quiet, from_preserving: 0 }, ..Tally::default() };
        let mut ledger = Ledger::default();
        ledger.enter("planted", 0, vec![backend, witness]);
        let sweeps = [Ready { name: "planted".to_owned(), sweep: Box::new(Planted) }];
        let options = Options::parse_from(["stratal-verify"]);
        let report = Report::new(&options, &sweeps, &ledger, resumed, Duration::from_secs(2));
        let mut text = Vec::new();
        write(&mut text, &report).unwrap();
        (String::from_utf8(text).unwrap(), report.passed())
    }

    fn right() -> Tally {
        Tally { patterns: 1_234_567, ..Tally::default() }
    }

    #[test]
    fn a_right_result_passes() {
        let (text, passed) = report(right(), 2, &Ledger::default());
        assert!(passed);
        assert!(text.contains(" 1,234,567 "), "{text}");
        assert!(text.contains("2 off the quiet rule"), "{text}");
        assert!(text.contains("Full sweep passed: "), "{text}");
    }

    #[test]
    fn a_mismatch_fails_and_is_named_in_hex() {
        let mut wrong = right();
        wrong.mismatch(|| Mismatch {
            input: "0x477f1000".to_owned(),
            got: "0x7bf9".to_owned(),
            expected: "0x7bf8".to_owned(),
        });
        let (text, passed) = report(wrong, 2, &Ledger::default());
        assert!(!passed);
        let line = "  scalar, a rule: 0x477f1000 gave 0x7bf9, expected 0x7bf8\n";
        assert!(text.contains(line), "{text}");
        assert!(text.contains("Full sweep FAILED: "), "{text}");
        assert!(text.ends_with(", 1 of them wrong\n"), "{text}");
    }

    #[test]
    fn a_witness_with_another_number_of_deviations_fails() {
        let (text, passed) = report(right(), 3, &Ledger::default());
        assert!(!passed);
        assert!(text.contains("NOT 2 AS EXPECTED"), "{text}");
    }

    #[test]
    fn results_from_an_interrupted_run_are_marked() {
        let mut resumed = Ledger::default();
        resumed.enter("planted", 0, vec![right(), Tally::default()]);
        let (text, _) = report(right(), 2, &resumed);
        assert!(text.contains("planted* "), "{text}");
        assert!(text.contains("planted         1 of 1 parts"), "{text}");
    }

    #[test]
    fn digits_are_grouped_by_three() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (8_372_224, "8,372,224")] {
            assert_eq!(grouped(number), text);
        }
    }
}
