//! `cargo xtask asan`: tests under AddressSanitizer, which sees reads past an end and leaks.

use anyhow::Result;

use crate::run::{Outcome, Run};
use crate::workspace::Workspace;

const TARGET: &str = "x86_64-unknown-linux-gnu";

/// The crates that run without being named.
const CRATES: &[&str] = &["tensor-base", "memory", "tensor"];

/// The crates of which the unit tests alone run without being named. Those of `kernels` feed every vector instruction that
/// touches memory; its other tests end their data at pages that may not be touched, which sees as much and costs minutes less.
const UNITS: &[&str] = &["kernels"];

pub(crate) fn run(names: &[String]) -> Result<Outcome> {
    if let Some(missing) = missing() {
        return Ok(Outcome::Skipped(format!("asan: {missing}")));
    }
    let workspace = Workspace::load()?;
    // Not `--doc`: documentation tests are linked by rustdoc, without the sanitizer's flags.
    run_some(&workspace, names, CRATES, &["--lib", "--bins", "--tests"])?;
    if names.is_empty() {
        run_some(&workspace, names, UNITS, &["--lib"])?;
    }
    Ok(Outcome::Passed)
}

fn run_some(workspace: &Workspace, names: &[String], otherwise: &[&str], targets: &[&str]) -> Result<()> {
    Run::nightly_cargo()
        .arguments(["test"])
        .arguments(targets)
        // Naming the target keeps the flags away from build scripts and procedural macros.
        .arguments(["--target", TARGET])
        .arguments(workspace.package_arguments(names, otherwise)?)
        .variable("RUSTFLAGS", "-Zsanitizer=address")
        .variable("CARGO_TARGET_DIR", workspace.target_directory.join("asan"))
        .run()
}

/// What this machine lacks, if anything.
fn missing() -> Option<String> {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu")) {
        return Some(format!("runs on {TARGET} only"));
    }
    let nightly = Run::new("rustup").arguments(["run", "nightly", "rustc", "--version"]);
    (!nightly.succeeds()).then(|| "no nightly toolchain is installed".to_owned())
}
