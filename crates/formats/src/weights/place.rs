//! `Place`: where the elements of a weight lie.

use std::{ops::Range, sync::Arc};

/// Where the elements of a weight lie in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The name of the shard, the member or the external file; none if there is one file only.
    file: Option<Arc<str>>,
    range: Range<u64>,
    is_compressed: bool,
}

impl Place {
    /// The name of the shard, of the member of an archive or of the external file; none in the one file there is.
    pub fn file(&self) -> Option<&str> {
        self.file.as_deref()
    }

    /// The bytes of the file that hold the elements, which are all that belongs to the tensor when they are within fields of a
    /// message or compressed.
    pub fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    /// How many bytes of the file hold the elements.
    pub fn bytes(&self) -> u64 {
        self.range.end - self.range.start
    }

    /// Whether the bytes are compressed.
    pub fn is_compressed(&self) -> bool {
        self.is_compressed
    }

    pub(crate) fn new(file: Option<Arc<str>>, range: Range<u64>) -> Self {
        debug_assert!(range.start <= range.end, "ranges are checked");
        Self { file, range, is_compressed: false }
    }

    pub(crate) fn compressed(self) -> Self {
        Self { is_compressed: true, ..self }
    }
}
