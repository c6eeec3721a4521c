//! What can be wrong with a GGUF file, and with packed blocks.

use stratal_tensor_base::{Integers, Shape};

use super::{BlockType, TensorType};
use crate::Name;

/// Why a GGUF file could not be read or written.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the fields are named in the texts")]
pub enum GgufError {
    /// The file has another format.
    #[error("not a GGUF file: it begins with {:?}", magic.escape_ascii().to_string())]
    NotGguf { magic: [u8; 4] },
    /// The numbers are big-endian.
    #[error("GGUF version {version} with big-endian numbers is not supported")]
    BigEndian { version: u32 },
    /// Version 1, whose counts have 32 bits and which nobody writes any more, or one that is newer than this crate.
    #[error("GGUF version {version} is not supported: 2 and 3 are")]
    UnsupportedVersion { version: u32 },
    /// The file ends within its header.
    #[error("the header goes on behind the end of the file: {wanted} bytes at {offset} of {file_bytes}")]
    Truncated { offset: u64, wanted: u64, file_bytes: u64 },
    /// The header goes on behind the bytes that were given to be parsed.
    #[error("the header goes on behind the {given} bytes given: it has {wanted} at least")]
    Incomplete { wanted: u64, given: u64 },
    /// The header passes its limit.
    #[error("the header is longer than {limit} bytes, which is the limit")]
    HeaderTooLong { limit: u64 },
    /// A count passes its limit.
    #[error("{count} {what} are more than {limit}, which is the limit")]
    TooMany { what: &'static str, count: u64, limit: u64 },
    /// A count that the rest of the file cannot hold.
    #[error("{count} {what} cannot follow at {offset}: the file has {rest} more bytes")]
    Impossible { what: &'static str, count: u64, offset: u64, rest: u64 },
    /// A text passes its limit.
    #[error("a {what} has {length} bytes, more than {limit}, which is the limit")]
    TextTooLong { what: &'static str, length: u64, limit: u64 },
    /// A text is no text.
    #[error("the {what} at {offset} is not UTF-8: {text}")]
    NotUtf8 { what: &'static str, offset: u64, text: Name },
    /// A value of metadata has no type that exists.
    #[error("{key} has a value of the unknown type {code}")]
    UnknownValueType { key: Name, code: u32 },
    /// A truth value is neither.
    #[error("{key} has a truth value of {byte}, which is neither 0 nor 1")]
    NotBool { key: Name, byte: u8 },
    /// Arrays within arrays pass their limit.
    #[error("the arrays of {key} are nested deeper than {limit}, which is the limit")]
    NestedTooDeep { key: Name, limit: u32 },
    /// Two values have one key.
    #[error("{key} is there twice")]
    DuplicateKey { key: Name },
    /// The alignment is no power of two of 32 bits.
    #[error("general.alignment is {}, which is no uint32 that is a power of two", value.as_str())]
    Alignment { value: Name },
    /// Two tensors have one name.
    #[error("the tensor {tensor} is there twice")]
    DuplicateTensor { tensor: Name },
    /// A tensor has more axes than the format allows.
    #[error("the tensor {tensor} has {rank} axes; GGUF has at most 4")]
    RankTooLarge { tensor: Name, rank: usize },
    /// A tensor has a type that ggml has, or had, and this crate does not read.
    #[error("the tensor {tensor} has the type {name} ({code}), which is not supported")]
    UnsupportedType { tensor: Name, name: &'static str, code: u32 },
    /// A tensor has a type that does not exist.
    #[error("the tensor {tensor} has the unknown type {code}")]
    UnknownType { tensor: Name, code: u32 },
    /// Rows of a packed tensor end within a block.
    #[error("the tensor {tensor} of {extents} has rows that are no whole blocks of {tensor_type}")]
    PartialBlock { tensor: Name, tensor_type: TensorType, extents: Integers },
    /// The bytes of a tensor are more than 2^64.
    #[error("the tensor {tensor} of {tensor_type} {extents} has more bytes than there are numbers for")]
    TooLarge { tensor: Name, tensor_type: TensorType, extents: Integers },
    /// A tensor does not start on the alignment of the file.
    #[error("the tensor {tensor} is at {offset} in the data, which is no multiple of {alignment}")]
    Misaligned { tensor: Name, offset: u64, alignment: u64 },
    /// A tensor passes the end of the file.
    #[error(
        "the tensor {tensor} of {bytes} bytes is at {offset} in the data from {data_offset}, which passes the end of a file of \
         {file_bytes}"
    )]
    OutOfBounds { tensor: Name, offset: u64, bytes: u64, data_offset: u64, file_bytes: u64 },
    /// Two tensors share bytes.
    #[error("the tensors {first} and {second} overlap at {offset}")]
    Overlap { first: Name, second: Name, offset: u64 },
    /// The format has no type for the elements of a tensor that was to be written.
    #[error("the tensor {tensor} cannot be written: GGUF has no type for {element_type}")]
    NoTypeFor { tensor: Name, element_type: TensorType },
    /// A key or name that was to be written is longer than readers take.
    #[error("{name} has {length} bytes; readers of GGUF take at most {limit}")]
    NameTooLong { name: Name, length: usize, limit: usize },
}

/// Blocks that make no tensor, or cannot be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the fields are named in the texts")]
pub enum BlockError {
    /// The bytes are no whole blocks, or not those of so many weights.
    #[error(
        "{bytes} bytes are not {weights} weights of {block_type}, which has {} in {} bytes",
        block_type.block_weights(),
        block_type.block_bytes()
    )]
    Lengths { block_type: BlockType, bytes: usize, weights: usize },
    /// The shape has no axis, or rows that end within a block.
    #[error("rows of {shape} are no whole blocks of {block_type}, which have {} weights", block_type.block_weights())]
    PartialRow { block_type: BlockType, shape: Shape },
    /// Rows that a packed tensor does not have.
    #[error("there are no rows {start}..{end} in {rows}")]
    NoSuchRows { start: usize, end: usize, rows: usize },
}
