//! `cargo xtask asan`: tests under AddressSanitizer, which sees reads past an end and leaks.

use anyhow::Result;

use crate::run::{Outcome, Run};
use crate::workspace::Workspace;

const TARGET: &str = "x86_64-unknown-linux-gnu";

/// The crates that run without being named.
const CRATES: &[&str] = &["tensor-base", "memory", "tensor"];

/// The crates of which some unit tests alone run without being named, and which: in `kernels` those of vectors in memory and of
/// matrices cut into parts. Its other tests end their data at pages that may not be touched, which sees as much. Optimising the
/// crate once more takes minutes that these tests do not need.
const UNITS: &[&str] = &["kernels"];
const CHOSEN: &[&str] = &["memory", "rectangle"];

pub(crate) fn run(names: &[String]) -> Result<Outcome> {
    run_with(names, if names.is_empty() { UNITS } else { &[] })
}

/// Without the crates of which some tests run, since building those takes minutes: CI on one machine has no time for that.
pub(crate) fn run_without_units() -> Result<Outcome> {
    run_with(&[], &[])
}

fn run_with(names: &[String], units: &[&str]) -> Result<Outcome> {
    if let Some(missing) = missing() {
        return Ok(Outcome::Skipped(format!("asan: {missing}")));
    }
    let workspace = Workspace::load()?;
    // Not `--doc`: documentation tests are linked by rustdoc, without the sanitizer's flags.
    tests(&workspace, names, CRATES, &["--lib", "--bins", "--tests"])?.run()?;
    if !units.is_empty() {
        tests(&workspace, names, units, &["--lib"])?
            .arguments(["--"])
            .arguments(CHOSEN)
            .variable("CARGO_PROFILE_TEST_OPT_LEVEL", "0")
            .run()?;
    }
    Ok(Outcome::Passed)
}

fn tests(workspace: &Workspace, names: &[String], otherwise: &[&str], targets: &[&str]) -> Result<Run> {
    let run = Run::nightly_cargo()
        .arguments(["test"])
        .arguments(targets)
        // Naming the target keeps the flags away from build scripts and procedural macros.
        .arguments(["--target", TARGET])
        .arguments(workspace.package_arguments(names, otherwise)?)
        .variable("RUSTFLAGS", "-Zsanitizer=address")
        .variable("CARGO_TARGET_DIR", workspace.target_directory.join("asan"));
    Ok(run)
}

/// What this machine lacks, if anything.
fn missing() -> Option<String> {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu")) {
        return Some(format!("runs on {TARGET} only"));
    }
    let nightly = Run::new("rustup").arguments(["run", "nightly", "rustc", "--version"]);
    (!nightly.succeeds()).then(|| "no nightly toolchain is installed".to_owned())
}
