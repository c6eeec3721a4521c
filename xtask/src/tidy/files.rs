//! Which files the rules are for, and their text.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

use crate::{files, workspace};

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
    let mut paths = files::load()?;
    paths.retain(|path| is_text_source(path));

    let mut files = Vec::with_capacity(paths.len());
    for path in paths {
        match fs::read_to_string(workspace::root().join(&path)) {
            Ok(text) => files.push(SourceFile { path, text }),
            Err(error) => return Err(error).with_context(|| format!("cannot read {path}")),
        }
    }
    Ok(files)
}

fn is_text_source(path: &str) -> bool {
    let extension = Path::new(path).extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("rs" | "md" | "toml" | "yml" | "sh")) || path == ".ci/run"
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
}
