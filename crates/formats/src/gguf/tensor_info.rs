//! `TensorInfo`: what a file says of one tensor, and the check that the tensors of a file lie apart and within it.

use std::ops::Range;

use stratal_tensor_base::{Shape, ShapeError};

use super::{
    GgufError, TensorType,
    header::{RANK_MAX, shown},
    names::Names,
};
use crate::Name;

/// What a file says of one tensor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorInfo {
    name: Box<str>,
    tensor_type: TensorType,
    /// Outermost first; entries from `rank` on are 0.
    extents: [u64; RANK_MAX],
    rank: u8,
    bytes: u64,
    /// From the start of the data while a header is read, then from the start of the file.
    offset: u64,
}

impl TensorInfo {
    /// Checks that the extents make whole blocks and a number of bytes.
    pub(super) fn new(name: &str, tensor_type: TensorType, extents: &[u64], offset: u64) -> Result<Self, GgufError> {
        let mut kept = [0; RANK_MAX];
        if extents.len() > RANK_MAX {
            return Err(GgufError::RankTooLarge { tensor: Name::new(name), rank: extents.len() });
        }
        kept[..extents.len()].copy_from_slice(extents);
        let row = extents.last().copied().unwrap_or(1);
        if row % tensor_type.row_step() != 0 {
            return Err(GgufError::PartialBlock { tensor: Name::new(name), tensor_type, extents: shown(extents) });
        }
        let elements = extents.iter().try_fold(1_u64, |count, extent| count.checked_mul(*extent));
        let bytes = elements
            .and_then(|elements| tensor_type.bytes_of(elements))
            .ok_or_else(|| GgufError::TooLarge { tensor: Name::new(name), tensor_type, extents: shown(extents) })?;
        // At most 4.
        let rank = extents.len() as u8;
        Ok(Self { name: name.into(), tensor_type, extents: kept, rank, bytes, offset })
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How elements are stored.
    pub fn tensor_type(&self) -> TensorType {
        self.tensor_type
    }

    /// The extents, outermost first: the last axis is the one whose elements lie side by side. (Files list them the other way
    /// round.)
    pub fn extents(&self) -> &[u64] {
        &self.extents[..usize::from(self.rank)]
    }

    /// The extents as a shape.
    ///
    /// # Errors
    /// [`ShapeError`] for more elements than a tensor holds: files may have larger ones.
    pub fn shape(&self) -> Result<Shape, ShapeError> {
        let mut extents = [0; RANK_MAX];
        for (kept, extent) in extents.iter_mut().zip(self.extents()) {
            *kept = i64::try_from(*extent).unwrap_or(i64::MAX);
        }
        Shape::new(&extents[..usize::from(self.rank)])
    }

    /// The number of elements.
    pub fn elements(&self) -> u64 {
        // The product was a number when this was made.
        self.extents().iter().product()
    }

    /// The number of bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Where the bytes lie in the file.
    pub fn range(&self) -> Range<u64> {
        self.offset..self.offset + self.bytes
    }
}

/// Checks that the tensors have names of their own and lie within the file, aligned and apart. Counts their offsets from the
/// start of the file then.
pub(super) fn place(
    tensors: &mut [TensorInfo],
    data_offset: u64,
    alignment: u64,
    file_bytes: u64,
) -> Result<Names, GgufError> {
    for tensor in &mut *tensors {
        let name = || Name::new(&tensor.name);
        let (offset, bytes) = (tensor.offset, tensor.bytes);
        if offset % alignment != 0 {
            return Err(GgufError::Misaligned { tensor: name(), offset, alignment });
        }
        let start = data_offset.checked_add(offset);
        let end = start.and_then(|start| start.checked_add(bytes));
        // What has no bytes may lie at an end that was not padded.
        let padded = file_bytes.checked_next_multiple_of(alignment).unwrap_or(u64::MAX);
        let last = if bytes == 0 { padded.max(data_offset) } else { file_bytes };
        match (start, end) {
            (Some(start), Some(end)) if end <= last => tensor.offset = start.min(file_bytes),
            _ => return Err(GgufError::OutOfBounds { tensor: name(), offset, bytes, data_offset, file_bytes }),
        }
    }
    let mut by_offset: Vec<&TensorInfo> = tensors.iter().filter(|tensor| tensor.bytes > 0).collect();
    by_offset.sort_unstable_by_key(|tensor| tensor.offset);
    for pair in by_offset.windows(2) {
        if pair[0].range().end > pair[1].offset {
            let [first, second] = [pair[0], pair[1]].map(|tensor| Name::new(&tensor.name));
            return Err(GgufError::Overlap { first, second, offset: pair[1].offset });
        }
    }
    let name = |index: usize| &*tensors[index].name;
    Names::new(tensors.len(), name).map_err(|index| GgufError::DuplicateTensor { tensor: Name::new(name(index)) })
}
