//! `Cursor`: a file as prost reads it, without the bytes of its tensors.

use bytes::Buf;

use crate::{FileBytes, FileError, ModelFile};

/// The bytes of a window. Between two tensors there are a few dozen, among nodes there are more.
const WINDOW: u64 = 8 << 10;

/// A file as a [`Buf`], from its start to its end, in windows that are small even where all of the file is at hand: what does
/// not fit the rest of one stays in the file (see `TensorProto`).
///
/// A [`Buf`] cannot fail. When the system does, the rest reads as zeros, and [`finish`](Self::finish) has the error.
pub(super) struct Cursor<'a> {
    file: &'a ModelFile,
    position: u64,
    window: Option<FileBytes>,
    /// Where the window starts in the file.
    window_start: u64,
    error: Option<FileError>,
}

impl<'a> Cursor<'a> {
    /// At the start of a file.
    pub(super) fn new(file: &'a ModelFile) -> Self {
        let mut cursor = Self { file, position: 0, window: None, window_start: 0, error: None };
        cursor.load();
        cursor
    }

    /// What the system failed to read, if anything.
    pub(super) fn finish(self) -> Result<(), FileError> {
        self.error.map_or(Ok(()), Err)
    }

    /// Makes the window one that begins at the position, unless it has it.
    fn load(&mut self) {
        let length = self.file.len();
        let is_within = self.window.as_ref().is_some_and(|window| {
            (self.window_start..self.window_start + window.len() as u64).contains(&self.position)
        });
        if is_within || self.position >= length || self.error.is_some() {
            return;
        }
        match self.file.bytes(self.position..(self.position + WINDOW).min(length)) {
            Ok(window) => (self.window, self.window_start) = (Some(window), self.position),
            Err(error) => (self.window, self.error) = (None, Some(error)),
        }
    }
}

impl Buf for Cursor<'_> {
    fn remaining(&self) -> usize {
        // A file of more than 2^31-1 bytes is refused before.
        (self.file.len() - self.position) as usize
    }

    fn chunk(&self) -> &[u8] {
        match &self.window {
            // The window has the position, unless this is the end.
            Some(window) => window.get((self.position - self.window_start) as usize..).unwrap_or_default(),
            None => &ZEROS[..self.remaining().min(ZEROS.len())],
        }
    }

    fn advance(&mut self, count: usize) {
        self.position = (self.position + count as u64).min(self.file.len());
        self.load();
    }
}

/// What is read in place of bytes that the system failed to read.
static ZEROS: [u8; 64] = [0; 64];
