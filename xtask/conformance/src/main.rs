//! ONNX's operator suite through stratal's operators, against the ledger of what passed before.
//!
//! `cargo xtask conformance` builds and runs this program. It also writes what is derived from a run: the ledger, the sample of
//! cases that the tests of `stratal-ops` have, and `docs/operators.md`.
#![expect(clippy::print_stdout, reason = "the report is for the terminal")]

#[path = "../../../crates/ops/tests/suite/case.rs"]
mod case;
mod committed;
mod document;
mod export;
#[path = "../../../crates/ops/tests/suite/judge.rs"]
mod judge;
mod ledger;
mod message;
mod options;
mod reasons;
mod report;
mod run;
mod sample;
mod suite;

use std::panic;
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;
use stratal_kernels::{Backend, Selection};

use crate::ledger::Ledger;
use crate::options::Options;

/// The status of a run that lost a case. Errors, such as an unknown option, end with 2.
const LOST: u8 = 1;

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(LOST),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Does what the options say. Whether all that passed once passes still.
fn run(options: &Options) -> Result<bool> {
    let only = options.only.as_deref();
    let folder = options.from.clone().map_or_else(export::suite, Ok)?;
    let entries = suite::read(&folder, only)?;
    let selection = if options.reference { Selection::new().backend(Backend::Reference) } else { Selection::new() };
    let kernels = selection.kernels()?;

    // A panic is reported with its case; said twice it would tear the report apart.
    panic::set_hook(Box::new(|_| {}));
    let run = run::run(entries, &kernels);
    let _ = panic::take_hook();

    let old = Ledger::load()?;
    let comparison = old.compare(&run.ledger, only);
    print!("{}", report::render(&run, &comparison, options.write));
    if options.write {
        committed::write(&old.updated(run.ledger, only), &run.passed, only)?;
    }
    Ok(comparison.lost.is_empty())
}
