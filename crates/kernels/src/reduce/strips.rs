//! Reductions of f32 along an outer axis of many and long columns, in strips of columns.
//!
//! Such a problem is larger than the caches, and a table of few columns would read a little of each line, which the hardware
//! does not read ahead. Here, one partial result of a lane after another takes its elements, every 64th line, for all columns
//! of a strip: so that a line is read for a whole strip, and what is read and written with it stays in the first-level cache.
//! The order of evaluation is that of `order`.

use super::ReductionFormula;
use super::order::{BLOCK, PARTIALS};
use crate::simd::{Float, LANES, Simd, Task};

/// Columns of a strip.
pub(super) const STRIP: usize = 512;

/// Elements of a column, at least.
const LONG: usize = 512;

/// The results of whole strips. Terms have no shift.
pub(super) struct Strips<'a, F> {
    pub(super) formula: F,
    pub(super) elements: &'a [f32],
    /// Where the first row begins.
    pub(super) start: usize,
    /// From an element of a row to the next.
    pub(super) step: isize,
    pub(super) length: usize,
    pub(super) results: &'a mut [f32],
}

/// How many of so many columns of a length are reduced in strips.
pub(super) const fn in_strips<F: ReductionFormula>(length: usize, columns: usize) -> usize {
    if F::IS_SHIFTED || length < LONG { 0 } else { columns / STRIP * STRIP }
}

impl<F: ReductionFormula> Task for Strips<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { formula, elements, start, step, length, results } = self;
        let count = simd.f32(length as f32);
        // The partial results of the lanes, each for all columns; and the lanes of blocks, combined pairwise as in
        // `order::Pairs`.
        let mut partials = vec![F::NEUTRAL; PARTIALS * LANES * STRIP];
        let mut pairs: Vec<Vec<f32>> = Vec::new();
        for (strip, results) in results.chunks_exact_mut(STRIP).enumerate() {
            let line = |index: usize| {
                let start = start.wrapping_add_signed(step.wrapping_mul(index as isize)) + strip * STRIP;
                &elements[start..start + STRIP]
            };
            for (number, first) in (0..length).step_by(BLOCK).enumerate() {
                let end = length.min(first + BLOCK);
                for (slot, partial) in partials.chunks_exact_mut(STRIP).enumerate() {
                    partial.fill(F::NEUTRAL);
                    for index in (first + slot..end).step_by(PARTIALS * LANES) {
                        add_terms(simd, formula, partial, line(index));
                    }
                }
                for half in [2 * LANES, LANES] {
                    let (first, second) = partials.split_at_mut(half * STRIP);
                    combine(simd, formula, first, second);
                }
                let mut lanes = partials[..LANES * STRIP].to_vec();
                for _ in 0..number.trailing_ones() {
                    if let Some(before) = pairs.pop() {
                        lanes = combined(simd, formula, before, &lanes);
                    }
                }
                pairs.push(lanes);
            }
            let Some(mut lanes) = pairs.pop() else {
                return;
            };
            while let Some(before) = pairs.pop() {
                lanes = combined(simd, formula, before, &lanes);
            }
            for half in [8, 4, 2, 1] {
                let (first, second) = lanes.split_at_mut(half * STRIP);
                combine(simd, formula, first, second);
            }
            for (total, result) in lanes.as_chunks().0.iter().zip(results.as_chunks_mut().0) {
                formula.finish(simd, simd.load(total), count, simd.f32(0.0)).store(result);
            }
        }
    }
}

/// Combines partial results with the terms of a line.
#[inline(always)]
fn add_terms<S: Simd, F: ReductionFormula>(simd: S, formula: F, partial: &mut [f32], line: &[f32]) {
    for (partial, x) in partial.as_chunks_mut().0.iter_mut().zip(line.as_chunks().0) {
        let term = formula.term(simd, simd.load(x), simd.f32(0.0));
        formula.combine(simd, simd.load(partial), term).store(partial);
    }
}

/// Combines each number with that of another slice, which may be longer.
#[inline(always)]
fn combine<S: Simd, F: ReductionFormula>(simd: S, formula: F, first: &mut [f32], second: &[f32]) {
    for (first, second) in first.as_chunks_mut().0.iter_mut().zip(second.as_chunks().0) {
        formula.combine(simd, simd.load(first), simd.load(second)).store(first);
    }
}

#[inline(always)]
fn combined<S: Simd, F: ReductionFormula>(simd: S, formula: F, mut first: Vec<f32>, second: &[f32]) -> Vec<f32> {
    combine(simd, formula, &mut first, second);
    first
}
