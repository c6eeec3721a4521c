//! `cargo xtask verify`: builds and drives the sweep program in its own profile.

use anyhow::Result;

use crate::run::Run;

/// Release speed with every assertion and overflow check on: the sweep visits 2^32 floats several
/// times and is to notice whatever goes wrong on the way.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    Run::cargo()
        .arguments(["run", "--profile", "verify", "--package", "stratal-verify", "--"])
        .arguments(arguments)
        .run()
}
