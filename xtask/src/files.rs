//! Which files the project has.

use std::path::Path;

use anyhow::{Context as _, Result};

use crate::run::Run;
use crate::workspace;

/// The paths of all files that git tracks or would track, sorted, from the workspace root and with forward slashes.
pub(crate) fn load() -> Result<Vec<String>> {
    let listing = Run::new("git").arguments(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).output();
    let mut paths = match listing {
        Ok(listing) => listing.split_terminator('\0').map(str::to_owned).collect(),
        // An unpacked archive is no git checkout, and its tests run all the same.
        Err(_) => walk(&workspace::root(), "")?,
    };
    paths.sort();
    // A conflicted file is listed once for each side.
    paths.dedup();
    // One that was deleted is listed until git is told.
    paths.retain(|path| workspace::root().join(path).exists());
    Ok(paths)
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
    fn this_file_is_found_with_git_and_without() {
        let here = "xtask/src/files.rs";
        assert!(load().unwrap().iter().any(|path| path == here));
        let walked = walk(&workspace::root(), "xtask/src").unwrap();
        assert!(walked.iter().any(|path| path == here));
    }
}
