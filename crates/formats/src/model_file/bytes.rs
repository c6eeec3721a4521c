//! `FileBytes`: a stretch of a file's bytes that owns what keeps them alive.

use std::ops::{Deref, Range};

use stratal_memory::FrozenBuffer;

/// A stretch of a file's bytes. Derefs to them; cloning and slicing copy nothing.
#[derive(Debug, Clone)]
pub struct FileBytes {
    bytes: FrozenBuffer,
    /// Invariant: within `bytes`.
    range: Range<usize>,
}

impl FileBytes {
    /// A range of `bytes`, which lies within them.
    pub(super) fn new(bytes: FrozenBuffer, range: Range<usize>) -> Self {
        debug_assert!(range.start <= range.end && range.end <= bytes.len(), "the range was checked");
        Self { bytes, range }
    }

    /// A part of these bytes, or none if the range leaves them.
    pub fn slice(&self, range: Range<usize>) -> Option<Self> {
        let start = self.range.start.checked_add(range.start)?;
        let end = self.range.start.checked_add(range.end)?;
        let is_within = start <= end && end <= self.range.end;
        is_within.then(|| Self { bytes: self.bytes.clone(), range: start..end })
    }

    /// The same bytes as a [`bytes::Bytes`], for parsers that slice it.
    pub fn into_shared(self) -> bytes::Bytes {
        bytes::Bytes::from_owner(self)
    }
}

impl Deref for FileBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[self.range.clone()]
    }
}

impl AsRef<[u8]> for FileBytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}
