//! `cargo xtask bench`: runs the benchmarks and sets our times beside those of the peers.

mod document;
mod measured;
mod table;

use std::fs;
use std::time::SystemTime;

use anyhow::{Context as _, Result, ensure};

use crate::run::Run;
use crate::workspace::{Workspace, root};

/// Runs the benchmarks that the filters choose, then prints what this very run measured, and writes it into
/// `docs/performance.md` if asked to.
pub(crate) fn run(filters: &[String], writes: bool) -> Result<()> {
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
    let tables = table::render(&measured);
    println!("\n{tables}");
    if writes {
        let path = root().join("docs/performance.md");
        let document = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        fs::write(&path, document::update(&document, &tables)?)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}
