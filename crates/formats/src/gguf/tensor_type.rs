//! `TensorType`: how the elements of a tensor are stored in a GGUF file.

use std::fmt;

use stratal_tensor_base::DType;

use super::{BlockType, GgufError};
use crate::Name;

/// How the elements of a tensor are stored: one by one, or packed in blocks.
///
/// Files name it by the number that ggml has for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TensorType {
    /// One by one: a tensor as others are.
    Plain(DType),
    /// Packed in blocks.
    Blocks(BlockType),
}

/// The plain types. GGUF has none for bool and unsigned integers.
const PLAIN: [(u32, DType); 8] = [
    (0, DType::F32),
    (1, DType::F16),
    (24, DType::I8),
    (25, DType::I16),
    (26, DType::I32),
    (27, DType::I64),
    (28, DType::F64),
    (30, DType::BF16),
];

/// Numbers that have, or had, a meaning in ggml and none here: intermediate results, layouts for one processor, types that were
/// withdrawn or have no golden values yet.
const UNSUPPORTED: [(u32, &str); 11] = [
    (4, "Q4_2"),
    (5, "Q4_3"),
    (9, "Q8_1"),
    (15, "Q8_K"),
    (31, "Q4_0_4_4"),
    (32, "Q4_0_4_8"),
    (33, "Q4_0_8_8"),
    (36, "IQ4_NL_4_4"),
    (37, "IQ4_NL_4_8"),
    (38, "IQ4_NL_8_8"),
    (41, "Q1_0"),
];

impl TensorType {
    /// The number of the type in a file. GGUF has none for bool and unsigned integers.
    pub fn code(self) -> Option<u32> {
        match self {
            Self::Plain(dtype) => PLAIN.iter().find(|(_, plain)| *plain == dtype).map(|(code, _)| *code),
            Self::Blocks(block_type) => Some(block_type.code()),
        }
    }

    /// The name, as ggml spells it: `"F32"`, `"Q4_K"`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain(dtype) => dtype.safetensors_name(),
            Self::Blocks(block_type) => block_type.name(),
        }
    }

    /// The type of a number in a file, in which `tensor` has it.
    pub(super) fn of_code(code: u32, tensor: &str) -> Result<Self, GgufError> {
        if let Some((_, dtype)) = PLAIN.iter().find(|(plain, _)| *plain == code) {
            return Ok(Self::Plain(*dtype));
        }
        if let Some(block_type) = BlockType::ALL.into_iter().find(|block_type| block_type.code() == code) {
            return Ok(Self::Blocks(block_type));
        }
        let tensor = Name::new(tensor);
        Err(match UNSUPPORTED.iter().find(|(unsupported, _)| *unsupported == code) {
            Some((_, name)) => GgufError::UnsupportedType { tensor, name, code },
            None => GgufError::UnknownType { tensor, code },
        })
    }

    /// How many elements a row must be a multiple of.
    pub(super) fn row_step(self) -> u64 {
        match self {
            Self::Plain(_) => 1,
            Self::Blocks(block_type) => block_type.block_weights() as u64,
        }
    }

    /// The bytes of so many elements in whole rows, if that is a number of 64 bits.
    pub(super) fn bytes_of(self, elements: u64) -> Option<u64> {
        match self {
            Self::Plain(dtype) => elements.checked_mul(dtype.size() as u64),
            Self::Blocks(block_type) => block_type.bytes_of(elements),
        }
    }
}

impl fmt::Display for TensorType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}
