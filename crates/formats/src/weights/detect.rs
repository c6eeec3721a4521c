//! `Format`: which format a file has, by its beginning.

use std::fmt;

use crate::{Error, ModelFile, weights::WeightsError};

/// The formats of files with tensors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Named tensors behind a header in JSON.
    Safetensors,
    /// The index of a model whose tensors lie in several safetensors files.
    SafetensorsIndex,
    /// One array of NumPy.
    Npy,
    /// A zip archive of arrays of NumPy.
    Npz,
    /// A model of llama.cpp and its kin.
    Gguf,
    /// A model in ONNX.
    Onnx,
}

impl Format {
    /// The format of a file, by its first bytes.
    ///
    /// # Errors
    /// [`FileError`](crate::FileError) when they cannot be read, [`WeightsError::UnknownFormat`] when they are none of the
    /// formats.
    pub fn of(file: &ModelFile) -> Result<Self, Error> {
        let beginning = file.bytes(0..file.len().min(9))?;
        match of_beginning(&beginning, file.len()) {
            Some(format) => Ok(format),
            None => Err(WeightsError::UnknownFormat { beginning: beginning[..beginning.len().min(8)].to_vec() }.into()),
        }
    }

    /// The name as people write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Safetensors => "safetensors",
            Self::SafetensorsIndex => "safetensors index",
            Self::Npy => "npy",
            Self::Npz => "npz",
            Self::Gguf => "GGUF",
            Self::Onnx => "ONNX",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

/// What a file is that has at least the first bytes of one of the formats, up to nine of which are given.
fn of_beginning(beginning: &[u8], file_length: u64) -> Option<Format> {
    match beginning {
        [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => Some(Format::Npy),
        // A member, or the end of an archive without any.
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Some(Format::Npz),
        [b'G', b'G', b'U', b'F', ..] => Some(Format::Gguf),
        // The length of a header, and the header. A length that the file does not hold is for the parser to name, unless it
        // begins like a message of protobuf.
        [length @ .., b'{'] if length.len() == 8 && is_length_within(length, file_length) => Some(Format::Safetensors),
        [b'{', ..] => Some(Format::SafetensorsIndex),
        // The version of the format, which exporters write first.
        [0x08, 1..=127, ..] => Some(Format::Onnx),
        [_, _, _, _, _, _, _, _, b'{'] => Some(Format::Safetensors),
        // Messages whose other fields come first: a producer, a domain, a graph, imports of operator sets.
        [0x12 | 0x1a | 0x22 | 0x32 | 0x3a | 0x42, ..] => Some(Format::Onnx),
        _ => None,
    }
}

fn is_length_within(length: &[u8], file_length: u64) -> bool {
    let length = length.iter().rev().fold(0_u64, |length, byte| (length << 8) | u64::from(*byte));
    length <= file_length.saturating_sub(8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_known_by_its_beginning() {
        let of = |bytes: &[u8], length| of_beginning(&bytes[..bytes.len().min(9)], length);
        assert_eq!(of(b"\x93NUMPY\x01\x00v\x00", 128), Some(Format::Npy));
        assert_eq!(of(b"PK\x03\x04\x14\x00\x00\x00\x00", 300), Some(Format::Npz));
        assert_eq!(of(b"PK\x05\x06\0\0\0\0\0", 22), Some(Format::Npz));
        assert_eq!(of(b"GGUF\x03\0\0\0\0", 100), Some(Format::Gguf));
        assert_eq!(of(b"\x02\0\0\0\0\0\0\0{}", 10), Some(Format::Safetensors));
        assert_eq!(of(b"\x08\0\0\0\0\0\0\0{", 16), Some(Format::Safetensors));
        assert_eq!(of(b"\xff\0\0\0\0\0\0\0{", 9), Some(Format::Safetensors), "a header cut off");
        assert_eq!(of(b"{\"weight_map\": {}}", 18), Some(Format::SafetensorsIndex));
        assert_eq!(of(b"\x08\x08\x12\x07pytorch", 11), Some(Format::Onnx));
        assert_eq!(of(b"", 0), None);
        assert_eq!(of(b"\x7fELF\x02\x01\x01\0\0", 9000), None);
    }
}
