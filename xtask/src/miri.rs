//! `cargo xtask miri`: tests in the interpreter that knows the language's memory model.

use anyhow::Result;

use crate::run::{Outcome, Run};
use crate::workspace::Workspace;

/// The crates that run without being named.
const CRATES: &[&str] = &["tensor-base"];

pub(crate) fn run(names: &[String]) -> Result<Outcome> {
    if !Run::nightly_cargo().arguments(["miri", "--version"]).succeeds() {
        let missing = "miri: no nightly toolchain with the miri component is installed";
        return Ok(Outcome::Skipped(missing.to_owned()));
    }
    let workspace = Workspace::load()?;
    Run::nightly_cargo()
        // Unit tests alone: the others read golden vectors and go through tens of thousands of
        // patterns each, which takes an interpreter hours and shows it nothing new.
        .arguments(["miri", "test", "--lib"])
        .arguments(workspace.package_arguments(names, CRATES)?)
        .variable("PROPTEST_CASES", "4")
        // Property tests look for the folder they run in, which is hidden by default.
        .variable("MIRIFLAGS", "-Zmiri-disable-isolation")
        .run()?;
    Ok(Outcome::Passed)
}
