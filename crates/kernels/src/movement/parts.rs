//! How a result is cut for threads: into parts that depend on the problem alone.

use std::ops::Range;

use crate::Threads;

/// Bytes of a part, about: some of them fit into a second-level cache.
const GRAIN: usize = 256 << 10;

/// Does work on parts of a result of `count` elements from `start` on. The work gets the positions of a part, the elements
/// that hold it, and where position 0 would be among those, which may be before them.
///
/// Only a dense result can be cut: two threads may not hold the same elements. Parts are multiples of `unit` elements.
pub(super) fn in_parts<W: Send>(
    threads: &Threads,
    result: &mut [W],
    (start, count): (usize, usize),
    is_dense: bool,
    unit: usize,
    work: impl Fn(Range<usize>, &mut [W], usize) + Sync,
) {
    if count == 0 {
        return;
    }
    if !is_dense {
        return work(0..count, result, start);
    }
    let unit = unit.max(1);
    let chunk = (GRAIN / size_of::<W>()).next_multiple_of(unit);
    threads.for_each_chunk(&mut result[start..start + count], chunk, |position, part| {
        work(position..position + part.len(), part, 0_usize.wrapping_sub(position));
    });
}
