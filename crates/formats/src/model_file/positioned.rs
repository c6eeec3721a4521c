//! Reading at a position without moving the file's own, so that threads may share a file.

use std::{fs::File, io};

/// Reads exactly as many bytes as `target` has.
#[cfg(unix)]
pub(super) fn read_exact(file: &File, offset: u64, target: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, target, offset)
}

/// Reads exactly as many bytes as `target` has.
#[cfg(windows)]
pub(super) fn read_exact(file: &File, mut offset: u64, mut target: &mut [u8]) -> io::Result<()> {
    while !target.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, target, offset) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                target = &mut target[count..];
                offset += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
