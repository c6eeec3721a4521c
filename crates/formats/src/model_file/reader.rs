//! `FileReader`: a model file as a stream.

use std::io::{self, Read, Seek, SeekFrom};

use super::ModelFile;

/// A model file as a stream, for parsers of streams. It reads as much as it is asked for, so wrap it in a
/// [`BufReader`](io::BufReader).
#[derive(Debug, Clone)]
pub struct FileReader {
    file: ModelFile,
    position: u64,
}

impl ModelFile {
    /// The file as a stream from its start.
    pub fn reader(&self) -> FileReader {
        FileReader { file: self.clone(), position: 0 }
    }
}

impl Read for FileReader {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        let rest = self.file.len().saturating_sub(self.position);
        let count = usize::try_from(rest).unwrap_or(usize::MAX).min(target.len()).min(stratal_memory::LENGTH_MAX);
        self.file.read_into(self.position.min(self.file.len()), &mut target[..count]).map_err(io::Error::other)?;
        self.position += count as u64;
        Ok(count)
    }
}

impl Seek for FileReader {
    fn seek(&mut self, target: SeekFrom) -> io::Result<u64> {
        let position = match target {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::End(distance) => self.file.len().checked_add_signed(distance),
            SeekFrom::Current(distance) => self.position.checked_add_signed(distance),
        };
        self.position = position.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}
