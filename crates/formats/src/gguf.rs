//! GGUF: models with quantised weights, as llama.cpp and its kin use them.
//!
//! ```text
//! "GGUF"  version  count of tensors  count of entries
//! entries of metadata:  key, type of the value, value
//! tensors:              name, rank, extents (innermost first), type, offset in the data
//! padding to the alignment, then the data: tensor after tensor, each padded to the alignment
//! ```
//!
//! Weights are plain numbers or packed in blocks ([`BlockType`]), and packed ones stay packed: [`Gguf::packed`] gives the bytes
//! of the file, row after row, and [`PackedTensor::decode`] makes f32 of them when asked to.
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

use stratal_tensor::Tensor;

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

use crate::{Error, Limits, ModelFile, Name};

/// An open GGUF file: its header, and its tensors when they are asked for.
#[derive(Debug, Clone)]
pub struct Gguf {
    file: ModelFile,
    header: Header,
}

impl Gguf {
    /// Reads the header of a file.
    ///
    /// # Errors
    /// As [`Header::read`].
    pub fn of_file(file: ModelFile, limits: &Limits) -> Result<Self, Error> {
        let header = Header::read(&file, limits)?;
        Ok(Self { file, header })
    }

    /// What stands before the data.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// A plain tensor, of the dtype that it has in the file. In a mapped file it is a window.
    ///
    /// # Errors
    /// [`GgufError::NoSuchTensor`]; [`GgufError::Packed`], since nothing is decoded by itself;
    /// [`ShapeError`](stratal_tensor_base::ShapeError) for one larger than a tensor can be; as [`ModelFile::tensor`].
    pub fn tensor(&self, name: &str) -> Result<Tensor, Error> {
        let info = self.info(name)?;
        match info.tensor_type() {
            TensorType::Plain(dtype) => self.file.tensor(dtype, info.shape()?, info.range().start),
            TensorType::Blocks(block_type) => Err(GgufError::Packed { tensor: Name::new(name), block_type }.into()),
        }
    }

    /// A packed tensor, as it is in the file. In a mapped file nothing is copied.
    ///
    /// # Errors
    /// [`GgufError::NoSuchTensor`]; [`GgufError::NotPacked`] for a plain one; [`ShapeError`](stratal_tensor_base::ShapeError)
    /// for one larger than a tensor can be; as [`ModelFile::bytes`].
    pub fn packed(&self, name: &str) -> Result<PackedTensor, Error> {
        let info = self.info(name)?;
        match info.tensor_type() {
            TensorType::Blocks(block_type) => {
                Ok(PackedTensor::new(block_type, info.shape()?, self.file.bytes(info.range())?)?)
            }
            tensor_type => Err(GgufError::NotPacked { tensor: Name::new(name), tensor_type }.into()),
        }
    }

    fn info(&self, name: &str) -> Result<&TensorInfo, GgufError> {
        self.header.tensor(name).ok_or_else(|| GgufError::NoSuchTensor { tensor: Name::new(name) })
    }
}
