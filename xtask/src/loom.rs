//! `cargo xtask loom`: the models of the borrow protocol, over all interleavings, and the mutants that test the models.

use anyhow::Result;

use crate::run::Run;
use crate::workspace::Workspace;

#[derive(Debug, Default, clap::Args)]
pub(crate) struct Arguments {
    /// Break the protocol in one place at a time as well, and demand that a model fails (takes minutes)
    #[arg(long)]
    mutants: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    models("loom", &[])?;
    if arguments.mutants {
        models("mutants", &["--", "--nocapture"])?;
    }
    Ok(())
}

/// One test program of the models. Their flag changes every crate below, so they have a target folder of their own.
fn models(test: &str, more: &[&str]) -> Result<()> {
    let workspace = Workspace::load()?;
    Run::cargo()
        .arguments(["test", "--package", "stratal-memory", "--release", "--test", test])
        .arguments(more)
        .variable("RUSTFLAGS", "--cfg loom")
        .variable("CARGO_TARGET_DIR", workspace.target_directory.join("loom"))
        .run()
}
