//! Room to pack into: aligned for whole vectors, and kept by each thread from one product to the next.

use std::cell::Cell;

use bytemuck::{Pod, cast_slice, cast_slice_mut};

/// Bytes on a boundary of 64.
#[derive(Debug, Default)]
pub(crate) struct Aligned {
    /// Some more than are used, as the boundary may be anywhere among the first.
    words: Vec<u64>,
    start: usize,
    bytes: usize,
}

impl Aligned {
    const NOTHING: Self = Self { words: Vec::new(), start: 0, bytes: 0 };

    pub(crate) fn zeroed(bytes: usize) -> Self {
        let words = vec![0_u64; bytes.div_ceil(8) + 7];
        // In words: the allocation lies on a boundary of theirs. Where no offset can be told, any will do.
        let start = words.as_ptr().align_offset(64).min(7);
        Self { words, start, bytes }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &cast_slice(&self.words[self.start..])[..self.bytes]
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut cast_slice_mut(&mut self.words[self.start..])[..self.bytes]
    }
}

/// What room is for. Room for one use can be had inside that for another.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Use {
    /// A task of one thread.
    Task,
    /// What all tasks of a product read.
    Shared,
    /// Sums that are not yet rounded to the result's dtype.
    Sums,
    /// Copies of images.
    Images,
    /// Weights of a convolution.
    Filter,
}

/// Bytes that a thread keeps for a use, at most.
const KEPT: usize = 16 << 20;

/// Calls with room for so many elements, which hold anything.
///
/// A thread keeps its room from one call to the next, so that products do not allocate, unless it is very large.
pub(crate) fn with<T: Pod, R>(of: Use, elements: usize, work: impl FnOnce(&mut [T]) -> R) -> R {
    thread_local! {
        static ROOMS: [Cell<Aligned>; 5] = const { [const { Cell::new(Aligned::NOTHING) }; 5] };
    }
    let bytes = elements * size_of::<T>();
    let mut room = ROOMS.with(|rooms| rooms[of as usize].take());
    if room.bytes < bytes {
        room = Aligned::zeroed(bytes);
    }
    let result = work(cast_slice_mut(&mut room.bytes_mut()[..bytes]));
    if room.bytes <= KEPT {
        ROOMS.with(|rooms| rooms[of as usize].set(room));
    }
    result
}
