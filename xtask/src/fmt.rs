//! `cargo xtask fmt`: formats every Rust file of the project.
//!
//! `cargo fmt` follows `mod` declarations, and does not see those that a macro makes, such as the files of operators.

use anyhow::Result;

use crate::files;
use crate::run::Run;

#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(crate) struct Arguments {
    /// Change nothing; fail where something would change
    #[arg(long)]
    pub(crate) check: bool,
}

/// What rustfmt would read off a manifest. All crates have the same edition.
const EDITION: &str = "2024";

/// A command line has an end, and Windows has the first.
const FILES_A_COMMAND: usize = 250;

pub(crate) fn run(arguments: Arguments) -> Result<()> {
    run_below("", arguments)
}

/// The same for the files of one folder, from the workspace root.
pub(crate) fn run_below(folder: &str, arguments: Arguments) -> Result<()> {
    let mut paths = files::load()?;
    paths.retain(|path| path.ends_with(".rs") && path.starts_with(folder));
    for paths in paths.chunks(FILES_A_COMMAND) {
        let check: &[&str] = if arguments.check { &["--check"] } else { &[] };
        // Its settings lie in the workspace root, where it runs.
        Run::new("rustfmt").arguments(["--edition", EDITION]).arguments(check).listed(paths).run()?;
    }
    Ok(())
}
