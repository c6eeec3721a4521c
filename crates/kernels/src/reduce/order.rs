//! The order in which the elements of a row are combined: one for every backend, layout and number of threads.
//!
//! Sixteen lanes: lane `l` takes elements `l`, `l + 16`, `l + 32`, ... of the row. Each lane combines what it takes in
//! blocks of 64 elements (1024 of the row): in a block, element `j` goes to partial result `j mod 4`, which starts from the
//! neutral value and takes its elements in order; the four are combined as `(0, 2), (1, 3)`. The blocks of a lane are
//! combined pairwise, halves being split at the greatest power of two below their number. In the end the lanes are combined
//! pairwise, each with the one half of them away: 8, 4, 2, 1.
//!
//! So no addition waits for more than 16 before it in its block; the vectors of a block are four independent chains; any
//! aligned part of a row of a power of two of blocks can be combined by another thread; and the error of a sum grows with
//! the logarithm of the length. Partial results of lanes without elements are neutral, so leaving them out changes nothing.

use std::array::from_fn;
use std::ops::Range;

use crate::simd::{Float, Int, LANES, Simd};

/// Elements of a row in a block: 64 in each lane.
pub(crate) const BLOCK: usize = 64 * LANES;

/// Independent partial results of a lane.
pub(crate) const PARTIALS: usize = 4;

/// Blocks of a row, at most, as a power of two: a row has fewer than 2^31 elements.
const LEVELS: usize = 22;

/// The results of blocks so far, combined pairwise: a counter in binary, where each carry combines two.
#[derive(Debug, Clone)]
pub(crate) struct Pairs<T> {
    /// At level `l` the result of 2^l blocks, where bit `l` of the count is set.
    levels: [T; LEVELS],
    count: usize,
}

impl<T: Copy> Pairs<T> {
    #[inline(always)]
    pub(crate) fn new(neutral: T) -> Self {
        Self { levels: [neutral; LEVELS], count: 0 }
    }

    /// Adds the result of the next block, or of the next blocks if they are always as many, a power of two.
    #[inline(always)]
    pub(crate) fn push(&mut self, mut result: T, combine: impl Fn(T, T) -> T) {
        let mut level = 0;
        while self.count >> level & 1 == 1 {
            result = combine(self.levels[level], result);
            level += 1;
        }
        self.levels[level] = result;
        self.count += 1;
    }

    /// The result of all blocks, if there were any. The last one may have been shorter than the others.
    #[inline(always)]
    pub(crate) fn finish(&self, combine: impl Fn(T, T) -> T) -> Option<T> {
        let mut total = None;
        for level in 0..LEVELS {
            if self.count >> level & 1 == 1 {
                let result = self.levels[level];
                total = Some(total.map_or(result, |total| combine(result, total)));
            }
        }
        total
    }
}

/// A row as vectors of sixteen terms. It is a trait and no closures, since only what is marked `#[inline(always)]` is sure to
/// be compiled for the instruction set: mark all methods so.
pub(crate) trait Row<S: Simd> {
    /// What partial results start from.
    fn neutral(&self) -> S::F32;
    /// Combines partial results.
    fn combine(&self, a: S::F32, b: S::F32) -> S::F32;
    /// The terms of sixteen elements, given by the number of their vector. Called once for each, in ascending order.
    fn vector(&mut self, number: usize) -> S::F32;
    /// The terms of the elements behind the last whole vector, with neutral values where there are none.
    fn rest(&mut self) -> S::F32;
}

/// The sixteen lanes of a row of so many elements.
#[inline(always)]
pub(crate) fn lanes<S: Simd, R: Row<S>>(row: &mut R, length: usize) -> S::F32 {
    if length <= BLOCK {
        // The usual row of one block needs no pairs.
        return block(row, 0..length);
    }
    let mut pairs = Pairs::new(row.neutral());
    let mut start = 0;
    while start < length {
        let end = length.min(start + BLOCK);
        let result = block(row, start..end);
        pairs.push(result, |a, b| row.combine(a, b));
        start = end;
    }
    pairs.finish(|a, b| row.combine(a, b)).unwrap_or(row.neutral())
}

/// The lanes of at most one block.
#[inline(always)]
fn block<S: Simd, R: Row<S>>(row: &mut R, elements: Range<usize>) -> S::F32 {
    let mut partials = [row.neutral(); PARTIALS];
    let (mut vector, end) = (elements.start / LANES, elements.end / LANES);
    while vector + PARTIALS <= end {
        for (index, partial) in partials.iter_mut().enumerate() {
            let terms = row.vector(vector + index);
            *partial = row.combine(*partial, terms);
        }
        vector += PARTIALS;
    }
    if !elements.end.is_multiple_of(PARTIALS * LANES) {
        for (index, partial) in partials.iter_mut().enumerate() {
            if vector + index < end {
                let terms = row.vector(vector + index);
                *partial = row.combine(*partial, terms);
            } else if vector + index == end && !elements.end.is_multiple_of(LANES) {
                let terms = row.rest();
                *partial = row.combine(*partial, terms);
            }
        }
    }
    let [first, second, third, fourth] = partials;
    row.combine(row.combine(first, third), row.combine(second, fourth))
}

/// Combines sixteen lanes.
#[inline(always)]
pub(crate) fn across_lanes<T: Copy>(mut lanes: [T; LANES], combine: impl Fn(T, T) -> T) -> T {
    // One loop for each half, since a loop over them would not be unrolled.
    for lane in 0..8 {
        lanes[lane] = combine(lanes[lane], lanes[lane + 8]);
    }
    for lane in 0..4 {
        lanes[lane] = combine(lanes[lane], lanes[lane + 4]);
    }
    for lane in 0..2 {
        lanes[lane] = combine(lanes[lane], lanes[lane + 2]);
    }
    combine(lanes[0], lanes[1])
}

/// Combines the sixteen lanes of sixteen rows: one result a row. Transposed, so that one vector combines a lane of all rows.
#[inline(always)]
pub(crate) fn across_rows<S: Simd>(
    simd: S,
    rows: [S::F32; LANES],
    combine: impl Fn(S::F32, S::F32) -> S::F32,
) -> S::F32 {
    let mut bits = [simd.i32(0); LANES];
    for (bits, row) in bits.iter_mut().zip(rows) {
        *bits = row.bits();
    }
    let mut lanes = [simd.f32(0.0); LANES];
    for (lane, column) in lanes.iter_mut().zip(simd.transpose(bits)) {
        *lane = column.as_f32();
    }
    across_lanes(lanes, combine)
}

/// The sixteen lanes of a row of numbers of any type, in the same order without vectors. The row may be empty.
pub(crate) fn lanes_of<T: Copy, U: Copy>(
    neutral: T,
    row: &[U],
    term: impl Fn(U) -> T,
    combine: impl Fn(T, T) -> T,
) -> [T; LANES] {
    let both = |a: [T; LANES], b: [T; LANES]| from_fn(|lane| combine(a[lane], b[lane]));
    let mut pairs = Pairs::new([neutral; LANES]);
    for block in row.chunks(BLOCK) {
        let mut partials = [[neutral; LANES]; PARTIALS];
        for (index, vector) in block.chunks(LANES).enumerate() {
            let partial = &mut partials[index % PARTIALS];
            match vector.as_array::<LANES>() {
                Some(vector) => *partial = from_fn(|lane| combine(partial[lane], term(vector[lane]))),
                None => {
                    for (partial, element) in partial.iter_mut().zip(vector) {
                        *partial = combine(*partial, term(*element));
                    }
                }
            }
        }
        let [first, second, third, fourth] = partials;
        pairs.push(both(both(first, third), both(second, fourth)), both);
    }
    pairs.finish(both).unwrap_or([neutral; LANES])
}

/// Sixteen elements from the rest of a row, of fewer, and which lanes have one. Lanes without one repeat the first.
#[inline(always)]
pub(crate) fn load_rest<S: Simd>(simd: S, rest: &[f32]) -> (S::F32, S::Mask) {
    // A window of the table has as many ones as there are elements.
    const TABLE: [u8; 2 * LANES] = {
        let mut table = [0; 2 * LANES];
        let mut lane = 0;
        while lane < LANES {
            table[lane] = 1;
            lane += 1;
        }
        table
    };
    let mut elements = [rest.first().copied().unwrap_or(0.0); LANES];
    elements[..rest.len()].copy_from_slice(rest);
    let exists = TABLE[LANES - rest.len()..].first_chunk().unwrap_or(&[0; LANES]);
    (simd.load(&elements), simd.load_mask(exists))
}

/// The lanes as an array.
#[inline(always)]
pub(crate) fn to_array<S: Simd>(lanes: S::F32) -> [f32; LANES] {
    let mut array = [0.0; LANES];
    lanes.store(&mut array);
    array
}
