//! `ElementType`: what the elements of a weight are.

use std::fmt;

use stratal_tensor_base::DType;

use crate::{Name, gguf::BlockType};

/// What the elements of a weight are.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ElementType {
    /// Elements of a dtype.
    Plain(DType),
    /// Blocks of quantised elements.
    Packed(BlockType),
    /// Something that no dtype here stores, under its name in the file.
    Unsupported(Name),
}

impl ElementType {
    /// The dtype of plain elements.
    pub fn dtype(&self) -> Option<DType> {
        match self {
            Self::Plain(dtype) => Some(*dtype),
            Self::Packed(_) | Self::Unsupported(_) => None,
        }
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(dtype) => formatter.pad(dtype.name()),
            Self::Packed(block_type) => formatter.pad(block_type.name()),
            Self::Unsupported(name) => formatter.pad(name.as_str()),
        }
    }
}
