//! Reductions of f32 along an outer axis: neighbours belong to different rows, so vectors hold one element of each of
//! sixteen rows, and memory is read in its order.
//!
//! The order of evaluation is that of `order`, with the lanes and partial results of a row one below another in a table.

use std::array::from_fn;

use super::order::{BLOCK, PARTIALS, across_lanes, load_rest};
use super::{Max, ReductionFormula};
use crate::simd::{Float, LANES, Simd, Task};

/// Vectors that a table is wide: with 64 lines it takes 16 KiB, which stay in the first-level cache.
const WIDE: usize = 4;

/// All results of rows that begin side by side.
pub(super) struct Columns<'a, F> {
    pub(super) formula: F,
    pub(super) elements: &'a [f32],
    /// Where the first row begins.
    pub(super) start: usize,
    /// From an element of a row to the next.
    pub(super) step: isize,
    pub(super) length: usize,
    pub(super) results: &'a mut [f32],
}

impl<F: ReductionFormula> Task for Columns<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let mut start = self.start;
        let mut results = self.results;
        while !results.is_empty() {
            let width = if results.len() >= WIDE * LANES { WIDE * LANES } else { results.len().min(LANES) };
            let (part, rest) = results.split_at_mut(width);
            let line = |index: usize| {
                let start = start.wrapping_add_signed(self.step.wrapping_mul(index as isize));
                &self.elements[start..start + width]
            };
            if width == WIDE * LANES {
                columns::<S, F, WIDE>(simd, self.formula, self.length, |index| load_whole(simd, line(index)), part);
            } else if width == LANES {
                columns::<S, F, 1>(simd, self.formula, self.length, |index| load_whole(simd, line(index)), part);
            } else {
                columns::<S, F, 1>(simd, self.formula, self.length, |index| [load_rest(simd, line(index)).0], part);
            }
            start += width;
            results = rest;
        }
    }
}

#[inline(always)]
fn load_whole<S: Simd, const N: usize>(simd: S, line: &[f32]) -> [S::F32; N] {
    let (vectors, _) = line.as_chunks::<LANES>();
    from_fn(|index| simd.load(&vectors[index]))
}

/// The results of `N` vectors of columns, of which the elements at an index are given by `line`.
#[inline(always)]
fn columns<S: Simd, F: ReductionFormula, const N: usize>(
    simd: S,
    formula: F,
    length: usize,
    line: impl Fn(usize) -> [S::F32; N],
    results: &mut [f32],
) {
    let combine = |a: [S::F32; N], b: [S::F32; N]| from_fn(|index| formula.combine(simd, a[index], b[index]));
    let neutral = [simd.f32(F::NEUTRAL); N];
    let mut shift = [simd.f32(0.0); N];
    if F::IS_SHIFTED {
        let mut greatest = [simd.f32(Max::NEUTRAL); N];
        for index in 0..length {
            let x = line(index);
            greatest = from_fn(|index| Max.combine(simd, greatest[index], x[index]));
        }
        let zero = simd.f32(0.0);
        let is_finite = |x: S::F32| x.abs().lt(simd.f32(f32::INFINITY));
        shift = greatest.map(|x| simd.select(is_finite(x), x, zero));
    }
    // The lanes of blocks, combined pairwise as in `order::Pairs`; most rows have one block.
    let mut pairs: Vec<[[S::F32; N]; LANES]> = Vec::new();
    let mut lanes = [neutral; LANES];
    let both = |a: [[S::F32; N]; LANES], b: [[S::F32; N]; LANES]| from_fn(|lane| combine(a[lane], b[lane]));
    for (number, start) in (0..length).step_by(BLOCK).enumerate() {
        let mut table = [neutral; PARTIALS * LANES];
        let end = length.min(start + BLOCK);
        for index in start..end {
            let x = line(index);
            let partial = &mut table[index % (PARTIALS * LANES)];
            *partial =
                from_fn(|index| formula.combine(simd, partial[index], formula.term(simd, x[index], shift[index])));
        }
        for (lane, result) in lanes.iter_mut().enumerate() {
            let [first, second, third, fourth] = from_fn(|partial| table[partial * LANES + lane]);
            *result = combine(combine(first, third), combine(second, fourth));
        }
        if length > BLOCK {
            for _ in 0..number.trailing_ones() {
                if let Some(before) = pairs.pop() {
                    lanes = both(before, lanes);
                }
            }
            pairs.push(lanes);
        }
    }
    if let Some(last) = pairs.pop() {
        lanes = last;
        while let Some(before) = pairs.pop() {
            lanes = both(before, lanes);
        }
    }
    let total = across_lanes(lanes, combine);
    let count = simd.f32(length as f32);
    for (index, results) in results.chunks_mut(LANES).enumerate() {
        let mut values = [0.0; LANES];
        formula.finish(simd, total[index], count, shift[index]).store(&mut values);
        results.copy_from_slice(&values[..results.len()]);
    }
}
