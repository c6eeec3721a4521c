//! `cargo xtask check NAME`: everything about one crate, then the tests of what stands on it.

use anyhow::Result;

use crate::fmt;
use crate::run::Run;
use crate::workspace::{Member, Workspace};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The crate's folder name, such as `tensor-base`, `xtask`, `conformance`, `verify` or `benches`
    name: String,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let workspace = Workspace::load()?;
    let member = workspace.member_named(&arguments.name)?;

    fmt::run_below(&format!("{}/", member.path), fmt::Arguments { check: true })?;
    for features in feature_sets(member) {
        cargo("clippy", member, features)
            .arguments(["--all-targets", "--no-deps", "--", "--deny", "warnings"])
            .run()?;
        cargo("test", member, features).run()?;
    }
    cargo("doc", member, &["--all-features"])
        .arguments(["--no-deps"])
        .variable("RUSTDOCFLAGS", "--deny warnings")
        .run()?;

    for dependent in workspace.dependents_of(&member.package) {
        cargo("test", dependent, &[]).run()?;
    }
    Ok(())
}

/// Without features and with all of them; a crate that has none is the same crate both times.
fn feature_sets(member: &Member) -> Vec<&'static [&'static str]> {
    if member.has_features { vec![&["--no-default-features"], &["--all-features"]] } else { vec![&[]] }
}

fn cargo(command: &str, member: &Member, features: &[&str]) -> Run {
    Run::cargo().arguments([command, "--package", &member.package]).arguments(features)
}
