//! Sweeps that prove stratal's numeric rules: every float, every cast and every unary function, against independent references.
//!
//! `cargo xtask verify` builds and runs this program; `--list` names the sweeps. A later crate with an implementation
//! of its own adds it to the list in [`half::backends`].

mod cast;
mod catalogue;
mod half;
mod options;
mod pattern;
mod reference;
mod report;
mod run;
mod sweep;
mod tally;
mod unary;

use std::{io, process::ExitCode, time::Instant};

use anyhow::{Context, Result};
use clap::Parser;

use crate::{
    catalogue::Entry,
    options::Options,
    report::{Report, json, text},
    run::{
        engine::{self, Ready},
        ledger::Ledger,
        state::{Identity, State},
    },
};

/// The status of a run that found a mismatch. Errors, such as an unknown option, end with 2.
const MISMATCH: u8 = 1;

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(MISMATCH),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Does what the options say. Whether nothing differed.
fn run(options: &Options) -> Result<bool> {
    let entries = catalogue::select(&options.only)?;
    if options.list {
        text::list(&mut io::stdout().lock(), &entries)?;
        return Ok(true);
    }
    rayon::ThreadPoolBuilder::new().num_threads(options.threads.map_or(0, Into::into)).build_global()?;
    prove(options, &entries)
}

/// Does the sweeps. Whether nothing differed.
fn prove(options: &Options, entries: &[Entry]) -> Result<bool> {
    let start = Instant::now();
    let sweeps = prepare(entries, options)?;
    let state = open_state(entries, options)?;
    let resumed = state.ledger().clone();
    if options.resume {
        announce(&sweeps, &resumed);
    }
    let ledger = engine::complete(&sweeps, state)?.finish()?;
    let report = Report::new(options, &sweeps, &ledger, &resumed, start.elapsed());

    text::write(&mut io::stdout().lock(), &report)?;
    if let Some(path) = &options.json {
        json::write(path, &report)?;
    }
    if !options.quick && report.passed() {
        unary::table::record(&report.unary_errors())?;
    }
    Ok(report.passed())
}

fn prepare(entries: &[Entry], options: &Options) -> Result<Vec<Ready>> {
    let ready = entries.iter().map(|entry| Ok(Ready { name: entry.name(), sweep: entry.prepare(options.extent())? }));
    ready.collect()
}

/// Says what need not be done again.
fn announce(sweeps: &[Ready], resumed: &Ledger) {
    if *resumed == Ledger::default() {
        eprintln!("nothing to resume: beginning from the start");
    }
    for Ready { name, sweep } in sweeps {
        let (done, all) = (resumed.parts(name), sweep.parts().len());
        if done > 0 {
            eprintln!("resuming {name}: {done} of {all} parts are done");
        }
    }
}

fn open_state(entries: &[Entry], options: &Options) -> Result<State> {
    let names = entries.iter().map(|entry| entry.name()).collect();
    let identity = Identity::new(options.quick, names)?;
    let path = match &options.state {
        Some(path) => path.clone(),
        // Beside the program is in the target directory, wherever that is.
        None => {
            std::env::current_exe().context("cannot find the running program")?.with_file_name(identity.file_name())
        }
    };
    if options.resume { State::resume(path, identity) } else { State::begin(path, identity) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The whole proof, thinned to seconds, so that every run of the tests has it.
    #[test]
    fn quick_sweeps_find_nothing_wrong() {
        let state = std::env::temp_dir().join(format!("stratal-verify-test-{}", std::process::id()));
        let options =
            Options::parse_from(["verify".as_ref(), "--quick".as_ref(), "--state".as_ref(), state.as_os_str()]);
        assert!(prove(&options, &catalogue::select(&[]).unwrap()).unwrap());
    }
}
