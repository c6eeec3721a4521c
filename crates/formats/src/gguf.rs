//! GGUF: models with quantised weights, as llama.cpp and its kin use them.
//!
//! ```text
//! "GGUF"  version  count of tensors  count of entries
//! entries of metadata:  key, type of the value, value
//! tensors:              name, rank, extents (innermost first), type, offset in the data
//! padding to the alignment, then the data: tensor after tensor, each padded to the alignment
//! ```
//!
//! Weights are plain numbers or packed in blocks ([`BlockType`]), and packed ones stay packed: [`Weights::packed`] gives the
//! bytes of the file, row after row, and [`PackedTensor::decode`] makes f32 of them when asked to. [`Header`] has all of the
//! metadata, vocabularies too, of which [`Weights::metadata`] gives the first texts only.
//!
//! Versions 2 and 3 are read, with little-endian numbers.

mod block_type;
mod blocks;
mod cursor;
mod error;
mod header;
mod metadata;
mod names;
mod packed;
mod tensor_info;
mod tensor_type;
mod texts;
mod value;
mod write;

pub use block_type::BlockType;
pub use error::{BlockError, GgufError};
pub use header::Header;
pub use metadata::Metadata;
pub use packed::PackedTensor;
pub use tensor_info::TensorInfo;
pub use tensor_type::TensorType;
pub use texts::Texts;
pub use value::{Array, Value};
pub use write::{Source, to_vec, write};

use crate::{ElementType, Error, Format, Limits, MetadataValue, ModelFile, Place, Weight, Weights, weights::Form};

/// The tensors of a GGUF file.
///
/// # Errors
/// As [`Header::read`].
pub fn weights(file: ModelFile, limits: &Limits) -> Result<Weights, Error> {
    let header = Header::read(&file, limits)?;
    let weights = header.tensors().iter().map(|tensor| {
        let element_type = match tensor.tensor_type() {
            TensorType::Plain(dtype) => ElementType::Plain(dtype),
            TensorType::Blocks(block_type) => ElementType::Packed(block_type),
        };
        Weight::new(tensor.name(), element_type, tensor.extents(), (0, Place::new(None, tensor.range())), Form::Plain)
    });
    let weights = weights.collect();
    let metadata = header.metadata().iter().map(|(key, value)| (key.into(), MetadataValue::from(value)));
    Ok(Weights::new(Format::Gguf, vec![file], weights, metadata.collect())?)
}
