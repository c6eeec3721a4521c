//! `Chunks`: the blocks of an arena, and where in them the next buffer goes.

use crate::{
    leases::{self, DamagedLease},
    pool::PooledBlock,
};

/// The blocks of an arena, and where in them the next buffer goes.
///
/// Small buffers are placed one after the other in chunks of one size. A buffer that does not fit such a
/// chunk gets one of its own, the smallest that is free and large enough. So where a sequence of buffers
/// has fitted once it fits again, whatever other sequences came in between: the chunks that were enough
/// are still there, and taking the smallest never takes one that a larger buffer needs more.
#[derive(Debug)]
pub(super) struct Chunks {
    // What a chunk for small buffers is asked to hold.
    small_length: usize,
    small: Vec<PooledBlock>,
    // The small chunk in use, and the first free byte in it. Chunks before it are left as they are.
    current: usize,
    offset: usize,
    // In ascending order of size.
    large_free: Vec<PooledBlock>,
    large_used: Vec<PooledBlock>,
}

impl Chunks {
    pub(super) fn new(small_length: usize) -> Self {
        Self { small_length, small: Vec::new(), current: 0, offset: 0, large_free: Vec::new(), large_used: Vec::new() }
    }

    /// Takes `size` bytes, and says of which chunk and from where; `None` if a chunk must be added.
    #[inline]
    pub(super) fn place(&mut self, size: usize) -> Option<(&PooledBlock, usize)> {
        if self.is_large(size) {
            return self.place_large(size);
        }
        loop {
            let chunk = self.small.get(self.current)?;
            if size <= chunk.block().size() - self.offset {
                let offset = self.offset;
                self.offset += size;
                return Some((&self.small[self.current], offset));
            }
            self.current += 1;
            self.offset = 0;
        }
    }

    /// What a chunk must hold for a buffer of `length` bytes that takes up `size`.
    pub(super) fn length_for(&self, length: usize, size: usize) -> usize {
        if self.is_large(size) { length } else { self.small_length }
    }

    /// Adds a chunk that was rented for the [`length_for`](Self::length_for) a buffer of `size`.
    pub(super) fn add(&mut self, chunk: PooledBlock, size: usize) {
        if self.is_large(size) {
            self.add_large(chunk);
        } else {
            self.small.push(chunk);
        }
    }

    /// Makes all bytes free again, and gives up the chunks of damaged leases. No lot may exist.
    pub(super) fn rewind(&mut self, damaged: &[DamagedLease]) {
        self.current = 0;
        self.offset = 0;
        self.large_free.append(&mut self.large_used);
        self.large_free.sort_unstable_by_key(|chunk| chunk.block().size());
        if !damaged.is_empty() {
            give_up_damaged(&mut self.small, damaged);
            give_up_damaged(&mut self.large_free, damaged);
        }
    }

    /// Gives the chunks that hold nothing back to their pool.
    pub(super) fn trim(&mut self) {
        let used = (self.current + usize::from(self.offset > 0)).min(self.small.len());
        leases::give_back(self.small.drain(used..), &[]);
        leases::give_back(self.large_free.drain(..), &[]);
    }

    /// All chunks, to be given back.
    pub(super) fn take(&mut self) -> Vec<PooledBlock> {
        let mut chunks = std::mem::take(&mut self.small);
        chunks.append(&mut self.large_free);
        chunks.append(&mut self.large_used);
        chunks
    }

    /// The bytes of all chunks.
    pub(super) fn size(&self) -> usize {
        let all = [&self.small, &self.large_free, &self.large_used];
        all.into_iter().flatten().map(|chunk| chunk.block().size()).sum()
    }

    #[cold]
    fn place_large(&mut self, size: usize) -> Option<(&PooledBlock, usize)> {
        let position = self.large_free.partition_point(|free| free.block().size() < size);
        if position == self.large_free.len() {
            return None;
        }
        let chunk = self.large_free.remove(position);
        self.large_used.push(chunk);
        self.large_used.last().map(|chunk| (chunk, 0))
    }

    fn is_large(&self, size: usize) -> bool {
        size > self.small_length
    }

    fn add_large(&mut self, chunk: PooledBlock) {
        let size = chunk.block().size();
        let position = self.large_free.partition_point(|free| free.block().size() < size);
        self.large_free.insert(position, chunk);
    }
}

/// Gives up the chunks that hold a damaged lease, and keeps the others.
fn give_up_damaged(chunks: &mut Vec<PooledBlock>, damaged: &[DamagedLease]) {
    for chunk in std::mem::take(chunks) {
        if damaged.iter().any(|lease| leases::holds(&chunk, lease.pointer)) {
            chunk.give_up();
        } else {
            chunks.push(chunk);
        }
    }
}
