//! GGUF: the files of quantised models.

mod block_type;
mod blocks;
mod error;

pub use block_type::BlockType;
pub use error::BlockError;
