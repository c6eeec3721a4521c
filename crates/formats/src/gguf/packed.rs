//! `PackedTensor`: a tensor whose weights stay packed in blocks.

use std::ops::Range;

use stratal_tensor::{Tensor, TensorOptions};
use stratal_tensor_base::{DType, Shape};

use super::{BlockError, BlockType};
use crate::{Error, FileBytes};

/// A tensor whose weights stay packed in blocks, as they lie in the file: rows along the last axis, each whole blocks.
///
/// A product over quantised weights takes the bytes row by row; everything else decodes what it needs. The bytes are shared with
/// the file that they came from, so cloning copies none.
///
/// ```
/// use stratal_formats::{ModelFile, gguf::{BlockType, PackedTensor}};
/// use stratal_tensor_base::Shape;
///
/// let block = [&[0x00, 0x3C][..], &[3; 32]].concat(); // the scale 1.0, and 32 integers
/// let bytes = ModelFile::of_vec(block.repeat(4))?.bytes(0..4 * 34)?;
/// let packed = PackedTensor::new(BlockType::Q8_0, Shape::new(&[2, 64])?, bytes)?;
/// assert_eq!(packed.row(1).map(<[u8]>::len), Some(2 * 34));
///
/// let mut row = [0.0; 64];
/// packed.decode_rows(1..2, &mut row)?;
/// assert_eq!(row, [3.0; 64]);
/// # Ok::<(), stratal_formats::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PackedTensor {
    block_type: BlockType,
    /// Of rank 1 at least; invariant: rows are whole blocks.
    shape: Shape,
    /// Invariant: the blocks of all rows.
    bytes: FileBytes,
}

impl PackedTensor {
    /// A tensor over its blocks, row after row.
    ///
    /// # Errors
    /// [`BlockError::PartialRow`] unless rows are whole blocks, [`BlockError::Lengths`] unless the bytes are those of all rows.
    pub fn new(block_type: BlockType, shape: Shape, bytes: FileBytes) -> Result<Self, BlockError> {
        let row = shape.extents().last().copied();
        if row.is_none_or(|row| !(row as usize).is_multiple_of(block_type.block_weights())) {
            return Err(BlockError::PartialRow { block_type, shape });
        }
        let weights = shape.count();
        if block_type.bytes_of(weights as u64) != Some(bytes.len() as u64) {
            return Err(BlockError::Lengths { block_type, bytes: bytes.len(), weights });
        }
        Ok(Self { block_type, shape, bytes })
    }

    /// How weights are packed.
    pub fn block_type(&self) -> BlockType {
        self.block_type
    }

    /// The extents, in weights.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The weights of one row: the last extent.
    pub fn row_weights(&self) -> usize {
        // The rank is 1 at least.
        self.shape.extent(self.shape.rank() - 1)
    }

    /// The bytes of one row.
    pub fn row_bytes(&self) -> usize {
        self.row_weights() / self.block_type.block_weights() * self.block_type.block_bytes()
    }

    /// The number of rows: the product of all extents but the last.
    pub fn rows(&self) -> usize {
        self.shape.extents()[..self.shape.rank() - 1].iter().map(|extent| *extent as usize).product()
    }

    /// All blocks, row after row.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The blocks of one row, or none past the last.
    pub fn row(&self, row: usize) -> Option<&[u8]> {
        self.row_range(&(row..row.checked_add(1)?)).ok().map(|range| &self.bytes[range])
    }

    /// Decodes some rows.
    ///
    /// # Errors
    /// [`BlockError::NoSuchRows`] past the last row, [`BlockError::Lengths`] unless `weights` has room for just these rows.
    pub fn decode_rows(&self, rows: Range<usize>, weights: &mut [f32]) -> Result<(), BlockError> {
        let range = self.row_range(&rows)?;
        self.block_type.decode(&self.bytes[range], weights)
    }

    /// Decodes all rows into a tensor of f32.
    ///
    /// # Errors
    /// [`ShapeError`](stratal_tensor_base::ShapeError) and [`AllocationError`](stratal_memory::AllocationError) when the memory
    /// cannot be had: decoded weights take up to twenty times as much.
    pub fn decode(&self) -> Result<Tensor, Error> {
        let tensor = TensorOptions::new(DType::F32).empty_of(self.shape)?;
        self.block_type.decode(&self.bytes, &mut tensor.data_mut::<f32>()?)?;
        Ok(tensor)
    }

    /// Where some rows lie in the bytes.
    fn row_range(&self, rows: &Range<usize>) -> Result<Range<usize>, BlockError> {
        if rows.start > rows.end || rows.end > self.rows() {
            return Err(BlockError::NoSuchRows { start: rows.start, end: rows.end, rows: self.rows() });
        }
        // Both are within the bytes, so no product passes their length.
        Ok(rows.start * self.row_bytes()..rows.end * self.row_bytes())
    }
}
