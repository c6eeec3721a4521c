//! `cargo xtask aarch64`: tests as aarch64 code, executed by an emulator on another machine.

use std::path::Path;

use anyhow::Result;

use crate::run::{Outcome, Run};
use crate::workspace::Workspace;

const TARGET: &str = "aarch64-unknown-linux-gnu";
const LINKER: &str = "aarch64-linux-gnu-gcc";
const EMULATOR: &str = "qemu-aarch64-static";
/// Where Debian puts the C library that the emulated program loads.
const LIBRARIES: &str = "/usr/aarch64-linux-gnu";

/// The crates that run without being named: those whose numbers or code depend on the machine.
const CRATES: &[&str] = &["tensor-base"];

/// The crates of which the unit tests alone run without being named: in `kernels` those hold every vector instruction and
/// formula to plain Rust. `cargo xtask aarch64 kernels` runs its other tests too, which takes minutes to build.
const UNITS: &[&str] = &["kernels"];

pub(crate) fn run(names: &[String]) -> Result<Outcome> {
    run_with(names, names.is_empty())
}

/// Without the unit tests of kernels, whose instances of every formula take minutes to build. The workflow on GitHub has a job of
/// its own for them.
pub(crate) fn run_without_units() -> Result<Outcome> {
    run_with(&[], false)
}

fn run_with(names: &[String], with_units: bool) -> Result<Outcome> {
    if let Some(missing) = missing() {
        return Ok(Outcome::Skipped(format!("aarch64: {missing}")));
    }
    let workspace = Workspace::load()?;
    run_some(&workspace, names, CRATES, &[])?;
    if with_units {
        run_some(&workspace, names, UNITS, &["--lib"])?;
    }
    Ok(Outcome::Passed)
}

fn run_some(workspace: &Workspace, names: &[String], otherwise: &[&str], targets: &[&str]) -> Result<()> {
    Run::cargo()
        .arguments(["test", "--target", TARGET])
        .arguments(targets)
        .arguments(workspace.package_arguments(names, otherwise)?)
        .variable("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", LINKER)
        .variable("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER", format!("{EMULATOR} -L {LIBRARIES}"))
        .run()
}

/// What this machine lacks, if anything.
fn missing() -> Option<String> {
    if cfg!(target_arch = "aarch64") {
        return Some("this machine is one itself; `cargo xtask test` is the test".to_owned());
    }
    let part = if !Run::new(LINKER).arguments(["--version"]).succeeds() {
        format!("the linker {LINKER}")
    } else if !Run::new(EMULATOR).arguments(["--version"]).succeeds() {
        format!("the emulator {EMULATOR}")
    } else if !has_standard_library() {
        format!("Rust's standard library for {TARGET}")
    } else {
        return None;
    };
    Some(format!("{part} is missing; on Debian, .ci/setup-aarch64.sh installs it"))
}

fn has_standard_library() -> bool {
    let folder = Run::new("rustc").arguments(["--print", "target-libdir", "--target", TARGET]);
    let Ok(folder) = folder.output() else {
        return false;
    };
    let Ok(files) = Path::new(folder.trim()).read_dir() else {
        return false;
    };
    files.flatten().any(|file| file.file_name().to_string_lossy().starts_with("libstd-"))
}
