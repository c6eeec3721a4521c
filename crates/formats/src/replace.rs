//! Writing files as a whole: what was there stays until all of the new is.

use std::{
    fs::File,
    io::{self, BufWriter, Write as _},
    path::Path,
};

use tempfile::NamedTempFile;

use crate::{Error, FileError, Name};

/// Writes a file beside `path` and puts it there once `write` has succeeded. A file that was there, and whoever mapped it, is
/// left as it was until then; the new one does not share its bytes.
pub(crate) fn file(path: &Path, write: impl FnOnce(&mut BufWriter<&File>) -> Result<(), Error>) -> Result<(), Error> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let of_path = |source: io::Error| FileError::Write { path: Name::from(path), source };
    // Its text has the path of the temporary file, which nobody has heard of.
    let temporary = create(folder).map_err(|error| of_path(error.kind().into()))?;
    let mut buffered = BufWriter::with_capacity(1 << 18, temporary.as_file());
    write(&mut buffered).map_err(|error| match error {
        Error::File(FileError::Write { source, .. }) => of_path(source).into(),
        other => other,
    })?;
    buffered.flush().map_err(of_path)?;
    drop(buffered);
    temporary.persist(path).map_err(|error| of_path(error.error))?;
    Ok(())
}

/// A failure to write, before the path is known.
pub(crate) fn failed(source: io::Error) -> Error {
    FileError::Write { path: Name::new(""), source }.into()
}

fn create(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    // As any new file, instead of for its owner alone; the process's mask applies.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.prefix(".stratal-").tempfile_in(folder)
}
