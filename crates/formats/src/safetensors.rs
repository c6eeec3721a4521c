//! safetensors: named tensors behind a header in JSON.
//!
//! ```text
//!   8 bytes    length of the header, little-endian
//!   header     {"__metadata__": {...}, "name": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}, ...}
//!   elements   of all tensors, one behind the other: no gap, no overlap, nothing left
//! ```
//!
//! A model of several files has an index beside them, which names the file of each tensor.

mod header;
mod index;
mod write;

use crate::{
    Error, Limits, ModelFile, Name,
    weights::{Form, Format, MetadataValue, Place, Weight, Weights},
};

pub use self::header::{Entry, Header};
pub use self::index::Index;
pub use self::write::{to_vec, write};

/// Why a file is no safetensors file, or none that is supported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SafetensorsError {
    /// The file ends before the length of its header does.
    #[error("a file of {file_length} bytes is too short for a safetensors file, which begins with 8 bytes of length")]
    TooShort {
        /// The bytes of the file.
        file_length: u64,
    },
    /// The header is longer than the file.
    #[error("a header of {header_length} bytes passes the end of a file of {file_length}")]
    HeaderOutOfBounds {
        /// The bytes of the header, as the file says.
        header_length: u64,
        /// The bytes of the file.
        file_length: u64,
    },
    /// Something passes a limit.
    #[error("{count} {what} are above the limit of {limit}")]
    Limit {
        /// What there is too much of.
        what: &'static str,
        /// How many there are, or how many were met when reading stopped.
        count: u64,
        /// The limit.
        limit: u64,
    },
    /// The header is not the JSON that it should be.
    #[error("the header is malformed: {reason}")]
    Malformed {
        /// What is wrong, and where in the header.
        reason: Name,
    },
    /// A name stands for two tensors.
    #[error("two tensors are named {name}")]
    RepeatedName {
        /// The name.
        name: Name,
    },
    /// A key stands for two entries of metadata.
    #[error("two entries of metadata have the key {key}")]
    RepeatedKey {
        /// The key.
        key: Name,
    },
    /// The name under which the metadata lies in a header.
    #[error("no tensor can be named \"__metadata__\" in a safetensors file")]
    ReservedName,
    /// The elements of a tensor end before they begin, or past the end of the file.
    #[error("the elements of tensor {name} are bytes {start}..{end} of {available}")]
    OutOfBounds {
        /// The tensor.
        name: Name,
        /// The first byte, behind the header.
        start: u64,
        /// The end.
        end: u64,
        /// The bytes behind the header.
        available: u64,
    },
    /// The shape and the bytes disagree.
    #[error("tensor {name} of {dtype} {extents:?} does not have {bytes} bytes")]
    WrongLength {
        /// The tensor.
        name: Name,
        /// The name of its dtype.
        dtype: Name,
        /// Its extents.
        extents: Box<[u64]>,
        /// The bytes that it has.
        bytes: u64,
    },
    /// Two tensors share bytes.
    #[error("tensors {first} and {second} share bytes: one ends at {end}, the other starts at {start}")]
    Overlap {
        /// The tensor that starts before the other.
        first: Name,
        /// The other.
        second: Name,
        /// Where the first ends.
        end: u64,
        /// Where the other starts.
        start: u64,
    },
    /// Bytes that belong to no tensor.
    #[error("bytes {start}..{end} behind the header belong to no tensor")]
    Gap {
        /// The first.
        start: u64,
        /// The end.
        end: u64,
    },
    /// The index names a tensor that its file does not have.
    #[error("the index says that tensor {name} is in {shard}, which does not have it")]
    NotInShard {
        /// The tensor.
        name: Name,
        /// The file.
        shard: Name,
    },
}

/// The tensors of a safetensors file.
///
/// # Errors
/// [`FileError`](crate::FileError) when the header cannot be read, [`SafetensorsError`] when it is wrong.
pub fn weights(file: ModelFile, limits: &Limits) -> Result<Weights, Error> {
    let header = Header::read(&file, limits)?;
    let weights = header.entries.iter().map(|entry| weight(entry, &header, (0, None))).collect();
    Ok(Weights::new(Format::Safetensors, vec![file], weights, metadata(&header))?)
}

/// The tensors that the index of a sharded model names, shard by shard. Tensors of a shard that the index does not name are
/// left out.
///
/// # Errors
/// As [`weights`], for each shard; [`SafetensorsError::NotInShard`]; [`FileError::Outside`](crate::FileError::Outside) for a
/// shard that is not beneath the folder of the index.
pub fn weights_of_index(file: ModelFile, limits: &Limits) -> Result<Weights, Error> {
    index::weights(&file, limits)
}

/// What is known of a tensor of the header, in file number `file` of that name.
fn weight(entry: &Entry, header: &Header, (file, shard): (usize, Option<&std::sync::Arc<str>>)) -> Weight {
    let range = header.data_start + entry.start..header.data_start + entry.end;
    let place = Place::new(shard.cloned(), range);
    Weight::new(&entry.name, entry.element_type.clone(), entry.extents.clone(), (file, place), Form::Plain)
}

fn metadata(header: &Header) -> Vec<(Box<str>, MetadataValue)> {
    header.metadata.iter().map(|(key, value)| (key.clone(), MetadataValue::Text(value.clone()))).collect()
}
