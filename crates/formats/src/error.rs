//! The errors of this crate: one enum a subject under one [`Error`], each naming the values involved.

use std::{fmt, io};

use stratal_memory::{AccessError, AllocationError, MapError};
use stratal_tensor::TensorError;
use stratal_tensor_base::{Excerpt, ShapeError};

use crate::{
    gguf::{BlockError, GgufError},
    npy::NpyError,
    onnx::OnnxError,
    safetensors::SafetensorsError,
    weights::WeightsError,
};

/// Why a file could not be opened, read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes of a file could not be had.
    #[error(transparent)]
    File(#[from] FileError),
    /// Something is wrong in one of several files.
    #[error("{file}: {source}")]
    InFile {
        /// The shard, the member of the archive or the external file.
        file: Name,
        /// What is wrong.
        source: Box<Error>,
    },
    /// A tensor that a file does not have, or that cannot be made.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// A safetensors file is malformed.
    #[error(transparent)]
    Safetensors(#[from] SafetensorsError),
    /// An npy or npz file is malformed.
    #[error(transparent)]
    Npy(#[from] NpyError),
    /// An ONNX file is malformed.
    #[error(transparent)]
    Onnx(#[from] OnnxError),
    /// A tensor could not be made of the bytes.
    #[error(transparent)]
    Tensor(#[from] TensorError),
    /// A GGUF file is wrong, or cannot be written.
    #[error(transparent)]
    Gguf(#[from] GgufError),
    /// Blocks of packed weights make no tensor.
    #[error(transparent)]
    Block(#[from] BlockError),
}

impl From<ShapeError> for Error {
    fn from(error: ShapeError) -> Self {
        Self::Tensor(TensorError::Base(error.into()))
    }
}

/// Bytes of a file that could not be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The system refused to open a file.
    #[error("cannot open {path}: {source}")]
    Open {
        /// The file.
        path: Name,
        /// What the system said.
        source: io::Error,
    },
    /// The system refused to map a file.
    #[error("cannot map {path}: {source}")]
    Map {
        /// The file.
        path: Name,
        /// What was said.
        source: MapError,
    },
    /// The system failed to read bytes that were there when the file was opened.
    #[error("cannot read {length} bytes at {offset}: {source}")]
    Read {
        /// Where they start.
        offset: u64,
        /// How many they are.
        length: u64,
        /// What the system said.
        source: io::Error,
    },
    /// The system failed to write.
    #[error("cannot write {path}: {source}")]
    Write {
        /// The file.
        path: Name,
        /// What the system said.
        source: io::Error,
    },
    /// Directories, pipes and devices have no bytes to come back to.
    #[error("{path} is no regular file")]
    NotAFile {
        /// What was to be opened.
        path: Name,
    },
    /// Bytes past the end of the file.
    #[error("{length} bytes at {offset} pass the end of a file of {file_length}")]
    OutOfBounds {
        /// Where they start.
        offset: u64,
        /// How many they are.
        length: u64,
        /// The bytes of the file.
        file_length: u64,
    },
    /// More bytes in one piece than a buffer holds.
    #[error("{length} bytes at {offset} are more than one buffer holds, {}", stratal_memory::LENGTH_MAX)]
    TooLong {
        /// Where they start.
        offset: u64,
        /// How many they are.
        length: u64,
    },
    /// A file named another one that is not beneath its folder.
    #[error("the file names {path}, which is not beneath its folder: {reason}")]
    Outside {
        /// The path as it was named.
        path: Name,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A file in memory named another one.
    #[error("the file names {path}, but it is in memory and lies in no folder")]
    NoFolder {
        /// The path as it was named.
        path: Name,
    },
    /// The memory for the bytes could not be had.
    #[error(transparent)]
    Allocation(#[from] AllocationError),
    /// The memory of the bytes could not be reached.
    #[error(transparent)]
    Access(#[from] AccessError),
}

/// A text from a file as an error quotes it: at most 200 bytes, in quotes, escaped, with `...` behind one that was cut.
///
/// Names in models are long and differ at their ends, so they are kept longer than an
/// [`Excerpt`] would.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Name {
    text: Box<str>,
    is_cut: bool,
}

impl Name {
    /// The most bytes that a name keeps.
    pub const CAPACITY: usize = 200;

    /// Keeps the beginning of `text`.
    pub fn new(text: &str) -> Self {
        let length = text.floor_char_boundary(Self::CAPACITY);
        Self { text: text[..length].into(), is_cut: length < text.len() }
    }

    /// The kept text.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<&std::path::Path> for Name {
    fn from(path: &std::path::Path) -> Self {
        Self::new(&path.to_string_lossy())
    }
}

impl From<Excerpt> for Name {
    fn from(excerpt: Excerpt) -> Self {
        Self { text: excerpt.as_str().into(), is_cut: excerpt.is_cut() }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?}", &*self.text)?;
        formatter.write_str(if self.is_cut { "..." } else { "" })
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_quoted_escaped_and_cut() {
        assert_eq!(Name::new("layer.0\n").to_string(), r#""layer.0\n""#);
        let long = Name::new(&"é".repeat(150));
        assert_eq!(long.as_str().len(), 200);
        assert!(long.to_string().ends_with("é\"..."));
    }
}
