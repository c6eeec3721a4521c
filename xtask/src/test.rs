//! `cargo xtask test`: every test of the workspace, in the one optimised test profile.

use anyhow::Result;

use crate::run::Run;

/// Plain `cargo test` on the default members, so that a machine with only Rust installed can run
/// it, its closing lines stay on the screen, and `arguments` mean what they mean there. All
/// features, since a test behind a feature is a test as well.
///
/// Benchmarks are no default member: CI compiles them with the lints, `bench` runs them.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    Run::cargo().arguments(["test", "--all-features"]).arguments(arguments).run()
}
