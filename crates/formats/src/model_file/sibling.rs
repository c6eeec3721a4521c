//! Files that a file names: shards, external data. They lie beneath its folder, or are refused.

use std::path::{Component, Path};

use cap_std::{ambient_authority, fs::Dir};

use super::ModelFile;
use crate::FileError;

impl ModelFile {
    /// Opens a file that this one names by a path relative to its folder, in the same way as this one.
    ///
    /// The path may not be absolute nor contain `..`, and no link may lead out of the folder. The system resolves the path
    /// beneath the folder, so that nobody can put a link in place between the check and the opening.
    ///
    /// # Errors
    /// [`FileError::Outside`] for a path that leads out of the folder, [`FileError::NoFolder`] if this file is in memory, and
    /// as [`open`](Self::open).
    pub fn sibling(&self, path: &str) -> Result<Self, FileError> {
        let outside = |reason| FileError::Outside { path: path.into(), reason };
        if let Some(reason) = objection(path) {
            return Err(outside(reason));
        }
        let folder = self.folder.as_deref().ok_or(FileError::NoFolder { path: path.into() })?;
        let failed = |source: std::io::Error| FileError::Open { path: path.into(), source };
        let directory = Dir::open_ambient_dir(folder, ambient_authority()).map_err(failed)?;
        // What leads out is a refusal of permission here, for which the system has other reasons too.
        let refused = |source: std::io::Error| match leads_out(&directory, path, &source) {
            true => outside("a link leads out of it"),
            false => failed(source),
        };
        if !directory.metadata(path).map_err(refused)?.is_file() {
            return Err(FileError::NotAFile { path: path.into() });
        }
        let file = directory.open(path).map_err(refused)?.into_std();
        self.beside(file, &folder.join(path), folder.into())
    }
}

/// What is wrong with a path, before the file system is asked.
fn objection(path: &str) -> Option<&'static str> {
    if path.is_empty() {
        return Some("it is empty");
    }
    // The separators and drives of all systems, so that a file means the same everywhere.
    if path.contains(['\\', '\0', ':']) {
        return Some("it has a character that paths in model files may not have");
    }
    Path::new(path).components().find_map(|component| match component {
        Component::Normal(_) | Component::CurDir => None,
        Component::ParentDir => Some("it has a `..`"),
        Component::RootDir | Component::Prefix(_) => Some("it is absolute"),
    })
}

/// Whether an opening failed because a link leads out of the folder.
fn leads_out(directory: &Dir, path: &str, error: &std::io::Error) -> bool {
    let mut links = Path::new(path).ancestors();
    error.kind() == std::io::ErrorKind::PermissionDenied
        && links.any(|part| directory.symlink_metadata(part).is_ok_and(|metadata| metadata.is_symlink()))
}
