//! `cargo xtask asan`: tests under AddressSanitizer, which sees reads past an end and leaks.

use anyhow::Result;

use crate::run::{Outcome, Run};
use crate::workspace::Workspace;

const TARGET: &str = "x86_64-unknown-linux-gnu";

/// The crates that run without being named.
const CRATES: &[&str] = &["tensor-base", "memory", "tensor", "kernels"];

pub(crate) fn run(names: &[String]) -> Result<Outcome> {
    if let Some(missing) = missing() {
        return Ok(Outcome::Skipped(format!("asan: {missing}")));
    }
    let workspace = Workspace::load()?;
    Run::nightly_cargo()
        // Not `--doc`: documentation tests are linked by rustdoc, without the sanitizer's flags.
        .arguments(["test", "--lib", "--bins", "--tests"])
        // Naming the target keeps the flags away from build scripts and procedural macros.
        .arguments(["--target", TARGET])
        .arguments(workspace.package_arguments(names, CRATES)?)
        .variable("RUSTFLAGS", "-Zsanitizer=address")
        .variable("CARGO_TARGET_DIR", workspace.target_directory.join("asan"))
        .run()?;
    Ok(Outcome::Passed)
}

/// What this machine lacks, if anything.
fn missing() -> Option<String> {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu")) {
        return Some(format!("runs on {TARGET} only"));
    }
    let nightly = Run::new("rustup").arguments(["run", "nightly", "rustc", "--version"]);
    (!nightly.succeeds()).then(|| "no nightly toolchain is installed".to_owned())
}
