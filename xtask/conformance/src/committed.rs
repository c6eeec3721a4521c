//! The committed files: the ledger, the sample of cases and `docs/operators.md`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::case::Case;
use crate::ledger::Ledger;
use crate::{document, sample};

impl Ledger {
    /// The committed one.
    pub(crate) fn load() -> Result<Self> {
        let path = root().join("xtask/conformance/ledger.tsv");
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Self::parse(&text).with_context(|| format!("{} is malformed", path.display()))
    }
}

/// Writes all of them; of one operator, if it is given, or of all.
pub(crate) fn write(ledger: &Ledger, passed: &[Case], only: Option<&str>) -> Result<()> {
    let root = root();
    write_file(&root.join("xtask/conformance/ledger.tsv"), &ledger.render())?;
    write_file(&root.join("docs/operators.md"), &document::render(ledger))?;
    let folder = root.join("crates/ops/tests/suite/cases");
    let files = sample::files(passed);
    if only.is_none() {
        remove_others(&folder, &files)?;
    }
    for (name, text) in &files {
        write_file(&folder.join(name), text)?;
    }
    write_file(&folder.join("missing.txt"), &sample::missing(ledger))
}

/// The document as it is committed.
#[cfg(test)]
pub(crate) fn document() -> String {
    fs::read_to_string(root().join("docs/operators.md")).unwrap()
}

/// The workspace. Cargo tells where this crate is to whatever it runs; only a program started by hand goes by what was
/// compiled in.
fn root() -> PathBuf {
    let told = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let mut folder = told.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
    folder.pop();
    folder.pop();
    folder
}

/// Removes the files of operators that have no cases any more.
fn remove_others(folder: &Path, files: &[(String, String)]) -> Result<()> {
    let listing = fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    for entry in listing {
        let path = entry?.path();
        let is_written = |(name, _): &(String, String)| path.file_name().is_some_and(|found| found == name.as_str());
        if path.extension().is_some_and(|end| end == "json") && !files.iter().any(is_written) {
            fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    Ok(())
}

fn write_file(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
