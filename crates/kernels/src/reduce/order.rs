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

use crate::simd::{Float, LANES, Simd};

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

    /// The result of all blocks, and of a last one that may have been shorter than the others.
    #[inline(always)]
    pub(crate) fn finish(&self, last: Option<T>, combine: impl Fn(T, T) -> T) -> Option<T> {
        let mut total = last;
        for level in 0..LEVELS {
            if self.count >> level & 1 == 1 {
                let result = self.levels[level];
                total = Some(total.map_or(result, |total| combine(result, total)));
            }
        }
        total
    }
}

/// The sixteen lanes of the vectors `0..length / 16` and, if there are elements left, of one more vector. `term` gives the
/// vector that starts at an element, `rest` the last one, with neutral values where there are no elements.
#[inline(always)]
pub(crate) fn lanes<S: Simd>(
    neutral: S::F32,
    length: usize,
    combine: impl Fn(S::F32, S::F32) -> S::F32,
    mut term: impl FnMut(usize) -> S::F32,
    rest: impl FnOnce(usize) -> S::F32,
) -> S::F32 {
    let whole = length / BLOCK * BLOCK;
    let mut pairs = None;
    let mut start = 0;
    while start < whole {
        let result = block::<S>(neutral, start..start + BLOCK, &combine, &mut term, None::<fn(usize) -> S::F32>);
        start += BLOCK;
        if start == length && pairs.is_none() {
            // The usual row of one block needs no pairs.
            return result;
        }
        pairs.get_or_insert_with(|| Pairs::new(neutral)).push(result, &combine);
    }
    let last =
        (whole < length || length == 0).then(|| block::<S>(neutral, whole..length, &combine, &mut term, Some(rest)));
    match pairs {
        None => last.unwrap_or(neutral),
        Some(pairs) => pairs.finish(last, &combine).unwrap_or(neutral),
    }
}

/// The lanes of at most one block.
#[inline(always)]
fn block<S: Simd>(
    neutral: S::F32,
    elements: std::ops::Range<usize>,
    combine: &impl Fn(S::F32, S::F32) -> S::F32,
    term: &mut impl FnMut(usize) -> S::F32,
    rest: Option<impl FnOnce(usize) -> S::F32>,
) -> S::F32 {
    let mut partials = [neutral; PARTIALS];
    let mut at = elements.start;
    while at + PARTIALS * LANES <= elements.end {
        for (index, partial) in partials.iter_mut().enumerate() {
            *partial = combine(*partial, term(at + index * LANES));
        }
        at += PARTIALS * LANES;
    }
    let mut index = 0;
    while at + LANES <= elements.end {
        partials[index] = combine(partials[index], term(at));
        index += 1;
        at += LANES;
    }
    if let Some(rest) = rest
        && at < elements.end
    {
        partials[index] = combine(partials[index], rest(at));
    }
    let [first, second, third, fourth] = partials;
    combine(combine(first, third), combine(second, fourth))
}

/// Combines sixteen lanes.
#[inline(always)]
pub(crate) fn across_lanes<T: Copy>(lanes: [T; LANES], combine: impl Fn(T, T) -> T) -> T {
    let eight: [T; 8] = from_fn(|lane| combine(lanes[lane], lanes[lane + 8]));
    let four: [T; 4] = from_fn(|lane| combine(eight[lane], eight[lane + 4]));
    combine(combine(four[0], four[2]), combine(four[1], four[3]))
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
    pairs.finish(None, both).unwrap_or([neutral; LANES])
}

/// Sixteen elements from the rest of a row, of fewer, and which lanes have one. Lanes without one repeat the first.
#[inline(always)]
pub(crate) fn load_rest<S: Simd>(simd: S, rest: &[f32]) -> (S::F32, S::Mask) {
    const EXISTS: [u8; 2 * LANES] =
        [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let mut elements = [rest.first().copied().unwrap_or(0.0); LANES];
    elements[..rest.len()].copy_from_slice(rest);
    let exists = from_fn(|lane| EXISTS[LANES - rest.len() + lane]);
    (simd.load(&elements), simd.load_mask(&exists))
}

/// The lanes as an array.
#[inline(always)]
pub(crate) fn to_array<S: Simd>(lanes: S::F32) -> [f32; LANES] {
    let mut array = [0.0; LANES];
    lanes.store(&mut array);
    array
}
