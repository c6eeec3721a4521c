//! Which files the rules are for, and their text.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

use crate::run::Run;
use crate::workspace;

/// A text source of the project.
#[derive(Debug)]
pub(super) struct SourceFile {
    /// Path from the workspace root, with forward slashes.
    pub(super) path: String,
    pub(super) text: String,
}

impl SourceFile {
    pub(super) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }
}

/// Every text source that git tracks or would track.
pub(super) fn load() -> Result<Vec<SourceFile>> {
    let listing = Run::new("git").arguments(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).output();
    let mut paths = match listing {
        Ok(listing) => listing.split_terminator('\0').map(str::to_owned).collect(),
        // An unpacked archive is no git checkout, and its tests run all the same.
        Err(_) => walk(&workspace::root(), "")?,
    };
    paths.sort();
    // A conflicted file is listed once for each side.
    paths.dedup();
    paths.retain(|path| is_text_source(path));

    let mut files = Vec::with_capacity(paths.len());
    for path in paths {
        match fs::read_to_string(workspace::root().join(&path)) {
            Ok(text) => files.push(SourceFile { path, text }),
            // Deleted, but git has not been told yet.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(error).with_context(|| format!("cannot read {path}")),
        }
    }
    Ok(files)
}

fn is_text_source(path: &str) -> bool {
    let extension = Path::new(path).extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("rs" | "md" | "toml" | "yml" | "sh")) || path == ".ci/run"
}

/// The files below a folder, without what git keeps and cargo builds.
fn walk(root: &Path, folder: &str) -> Result<Vec<String>> {
    let mut paths = Vec::new();
    let entries = root.join(folder).read_dir();
    for entry in entries.with_context(|| format!("cannot list `{folder}`"))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        if !entry.file_type()?.is_dir() {
            paths.push(path);
        } else if name != ".git" && name != "target" {
            paths.extend(walk(root, &path)?);
        }
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_sources_are_known_by_their_names() {
        assert!(is_text_source("crates/memory/src/lib.rs"));
        assert!(is_text_source(".ci/run"));
        assert!(!is_text_source("crates/tensor-base/tests/fixtures/half.json"));
        assert!(!is_text_source("LICENSE-MIT"));
    }

    #[test]
    fn this_file_is_found_with_git_and_without() {
        let here = "xtask/src/tidy/files.rs";
        assert!(load().unwrap().iter().any(|file| file.path == here));
        let walked = walk(&workspace::root(), "xtask/src").unwrap();
        assert!(walked.iter().any(|path| path == here));
    }
}
