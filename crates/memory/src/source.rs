//! `BlockSource`: where a pool gets its blocks from, and gives them back to.

mod faulty;

pub use faulty::FaultySource;

use std::fmt;

use crate::{Alignment, Block};

/// Where a pool gets its blocks from, and gives them back to.
///
/// A pool calls its source while it holds no lock, so a source may take its time, and may even use the
/// pool.
pub trait BlockSource: fmt::Debug + Send + Sync {
    /// A block of at least `size` bytes, or `None` if there is no such memory. A shorter block is an
    /// error to the caller of the pool.
    fn allocate(&self, size: usize) -> Option<Block>;

    /// Takes back a block that [`allocate`](Self::allocate) gave.
    fn free(&self, block: Block) {
        drop(block);
    }

    /// What the sizes of its blocks are multiples of. Anything finer than 64 bytes counts as 64.
    fn granularity(&self) -> Alignment {
        Alignment::CACHE_LINE
    }
}

/// The host's memory: the global allocator for small blocks, anonymous mappings with huge pages for
/// large ones.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemSource;

/// From this size on the system is asked directly: it gives zeros page by page as they are touched,
/// where the allocator would write them all first, and it gives huge pages.
const MAPPING_MIN: usize = 2 << 20;

impl BlockSource for SystemSource {
    fn allocate(&self, size: usize) -> Option<Block> {
        if size >= MAPPING_MIN { Block::mapping(size) } else { Block::heap(size) }
    }
}
