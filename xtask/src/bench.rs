//! `cargo xtask bench`: runs the benchmarks and sets our times beside those of the peers.

mod measured;
mod table;

use std::time::SystemTime;

use anyhow::{Result, ensure};

use crate::run::Run;
use crate::workspace::Workspace;

/// Runs the benchmarks that the filters choose, then prints what this very run measured.
pub(crate) fn run(filters: &[String]) -> Result<()> {
    let workspace = Workspace::load()?;
    let start = SystemTime::now();
    Run::cargo()
        // Benchmark targets alone: test harnesses would not understand criterion's arguments.
        .arguments(["bench", "--package", "stratal-benches", "--bench", "*", "--"])
        .arguments(filters)
        .run()?;

    let folder = workspace.target_directory.join("criterion");
    let measured = measured::load(folder.as_std_path(), start)?;
    ensure!(!measured.is_empty(), "no benchmark ran; do the filters name one?");
    println!("\n{}", table::render(&measured));
    Ok(())
}
