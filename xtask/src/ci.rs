//! `cargo xtask ci`: everything CI runs, in its order, with a table of what came of it.

use std::fmt;
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::ValueEnum;

use crate::run::{Outcome, Run};
use crate::{aarch64, asan, layers, loom, test, tidy};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Leave out a step; may be given several times
    #[arg(long, value_name = "STEP")]
    skip: Vec<Step>,
    /// Run this step only; may be given several times
    #[arg(long, value_name = "STEP", conflicts_with = "skip")]
    only: Vec<Step>,
}

/// The steps, in the order they run: what fails fastest comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Step {
    /// Formatting
    Fmt,
    /// Lints, every target and feature
    Clippy,
    /// Documentation without warnings
    Docs,
    /// Who may depend on whom
    Layers,
    /// Source rules
    Tidy,
    /// Every test
    Test,
    /// Models of the borrow protocol
    Loom,
    /// Tests under AddressSanitizer
    Asan,
    /// Tests as aarch64 code
    Aarch64,
}

/// What became of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Status {
    Ok,
    Skipped(String),
    Failed,
    /// An earlier step failed.
    NotRun,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut rows = Vec::new();
    let mut failure = None;
    for step in chosen(arguments) {
        if failure.is_some() {
            rows.push((step, Status::NotRun, Duration::ZERO));
            continue;
        }
        println!("\n=== {step} ===");
        let start = Instant::now();
        let result = step.run();
        let time = start.elapsed();
        let status = match result {
            Ok(Outcome::Passed) => Status::Ok,
            Ok(Outcome::Skipped(why)) => {
                Outcome::Skipped(why.clone()).announce();
                Status::Skipped(why)
            }
            Err(error) => {
                failure = Some(error.context(format!("step {step}")));
                Status::Failed
            }
        };
        println!("=== {step}: {status} after {:.1} s ===", time.as_secs_f64());
        rows.push((step, status, time));
    }
    println!("\n{}", table(&rows));
    failure.map_or(Ok(()), Err)
}

impl Step {
    fn run(self) -> Result<Outcome> {
        match self {
            Self::Fmt => crate::fmt::run(crate::fmt::Arguments { check: true }),
            Self::Clippy => Run::cargo()
                .arguments(["clippy", "--workspace", "--all-targets", "--all-features"])
                .arguments(["--", "--deny", "warnings"])
                .run(),
            Self::Docs => Run::cargo()
                .arguments(["doc", "--workspace", "--all-features", "--no-deps"])
                .variable("RUSTDOCFLAGS", "--deny warnings")
                .run(),
            Self::Layers => layers::run(),
            Self::Tidy => tidy::run(),
            Self::Test => test::run(&[]),
            Self::Loom => loom::run(&loom::Arguments::default()),
            Self::Asan => return asan::run_without_units(),
            Self::Aarch64 => return aarch64::run_without_units(),
        }
        .map(|()| Outcome::Passed)
    }
}

fn chosen(arguments: &Arguments) -> Vec<Step> {
    let is_chosen =
        |step: &Step| !arguments.skip.contains(step) && (arguments.only.is_empty() || arguments.only.contains(step));
    Step::value_variants().iter().copied().filter(is_chosen).collect()
}

/// One line a step: its name, what became of it, and its seconds.
fn table(rows: &[(Step, Status, Duration)]) -> String {
    let line = |(step, status, time): &(Step, Status, Duration)| {
        let reason = match status {
            Status::Skipped(why) => format!("  {why}"),
            _ => String::new(),
        };
        let (step, status) = (step.to_string(), status.to_string());
        format!("{step:<8}  {status:<7}  {:>6.1} s{reason}", time.as_secs_f64())
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The name by which `--skip` and `--only` know the step.
        let value = self.to_possible_value();
        formatter.write_str(value.as_ref().map_or("", |value| value.get_name()))
    }
}

impl fmt::Display for Status {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Ok => "ok",
            Self::Skipped(_) => "skipped",
            Self::Failed => "failed",
            Self::NotRun => "not run",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(skip: &[Step], only: &[Step]) -> Vec<Step> {
        chosen(&Arguments { skip: skip.to_vec(), only: only.to_vec() })
    }

    #[test]
    fn steps_run_in_ci_order_whatever_the_arguments_order() {
        assert_eq!(steps(&[], &[]), Step::value_variants());
        assert_eq!(steps(&[], &[Step::Tidy, Step::Fmt]), [Step::Fmt, Step::Tidy]);
        assert!(!steps(&[Step::Test], &[]).contains(&Step::Test));
    }

    #[test]
    fn the_table_shows_each_step_and_why_one_was_skipped() {
        let rows = [
            (Step::Fmt, Status::Ok, Duration::from_millis(1240)),
            (Step::Asan, Status::Skipped("asan: no nightly".into()), Duration::ZERO),
            (Step::Test, Status::Failed, Duration::from_secs(75)),
            (Step::Aarch64, Status::NotRun, Duration::ZERO),
        ];
        let expected = "\
fmt       ok          1.2 s
asan      skipped     0.0 s  asan: no nightly
test      failed     75.0 s
aarch64   not run     0.0 s";
        assert_eq!(table(&rows), expected);
    }
}
