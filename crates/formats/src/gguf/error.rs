//! Errors.

use super::BlockType;

/// Blocks that cannot be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BlockError {
    /// The bytes are no whole blocks, or not those of so many weights.
    #[error(
        "{bytes} bytes are not {weights} weights of {block_type}, which has {} in blocks of {} bytes",
        block_type.block_weights(),
        block_type.block_bytes()
    )]
    Lengths {
        /// The type of the blocks.
        block_type: BlockType,
        /// The bytes there are.
        bytes: usize,
        /// The weights asked for.
        weights: usize,
    },
}
