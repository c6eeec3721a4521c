//! `cargo xtask miri`: tests in the interpreter that knows the language's memory model.

use anyhow::Result;

use crate::run::{Outcome, Run};
use crate::workspace::Workspace;

/// What runs without naming a crate. Of most crates the unit tests alone: the others read golden vectors and go through
/// tens of thousands of patterns each, which takes an interpreter hours and shows it nothing new.
const RUNS: &[(&str, &[&str])] = &[("tensor-base", &["--lib"]), ("memory", &["--lib", "--tests"])];

pub(crate) fn run(names: &[String]) -> Result<Outcome> {
    if !Run::nightly_cargo().arguments(["miri", "--version"]).succeeds() {
        let missing = "miri: no nightly toolchain with the miri component is installed";
        return Ok(Outcome::Skipped(missing.to_owned()));
    }
    let workspace = Workspace::load()?;
    for (name, targets) in RUNS {
        if names.is_empty() || names.iter().any(|chosen| chosen == name) {
            run_one(&workspace.package_arguments(&[], &[name])?, targets)?;
        }
    }
    for name in names.iter().filter(|name| RUNS.iter().all(|(known, _)| known != name)) {
        run_one(&workspace.package_arguments(&[], &[name])?, &["--lib"])?;
    }
    Ok(Outcome::Passed)
}

fn run_one(package: &[String], targets: &[&str]) -> Result<()> {
    Run::nightly_cargo()
        .arguments(["miri", "test"])
        .arguments(targets)
        .arguments(package)
        .variable("PROPTEST_CASES", "4")
        // Property tests look for the folder they run in, which is hidden by default.
        .variable("MIRIFLAGS", "-Zmiri-disable-isolation")
        .run()
}
