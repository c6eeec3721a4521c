//! Reductions of f32 along an outer axis: neighbours belong to different rows, so vectors hold one element of each of
//! sixteen rows, and memory is read in its order.
//!
//! The order of evaluation is that of `order`, with the lanes and partial results of a row one below another in a table.

use super::order::{BLOCK, PARTIALS, load_rest};
use super::{Max, ReductionFormula};
use crate::simd::{Float, LANES, Simd, Task};

/// Vectors that a table is wide: with 64 lines it takes 16 KiB, which stay in the first-level cache. Sixteen, in the second,
/// take up to twice as long.
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
            let lines = Lines { elements: self.elements, start, step: self.step, width };
            if width == WIDE * LANES {
                columns::<S, F, WIDE>(simd, self.formula, self.length, &lines, part);
            } else {
                columns::<S, F, 1>(simd, self.formula, self.length, &lines, part);
            }
            start += width;
            results = rest;
        }
    }
}

/// Lines of a few neighbours, of which each belongs to another row.
struct Lines<'a> {
    elements: &'a [f32],
    start: usize,
    step: isize,
    /// Whole vectors, or less than one.
    width: usize,
}

impl Lines<'_> {
    /// The elements of the rows at an index.
    #[inline(always)]
    fn load<S: Simd, const N: usize>(&self, simd: S, index: usize) -> [S::F32; N] {
        let start = self.start.wrapping_add_signed(self.step.wrapping_mul(index as isize));
        let line = &self.elements[start..start + self.width];
        let (vectors, rest) = line.as_chunks::<LANES>();
        let mut loaded = [simd.f32(0.0); N];
        if vectors.is_empty() {
            loaded[0] = load_rest(simd, rest).0;
        }
        for (loaded, vector) in loaded.iter_mut().zip(vectors) {
            *loaded = simd.load(vector);
        }
        loaded
    }
}

/// The results of `N` vectors of columns.
#[inline(always)]
fn columns<S: Simd, F: ReductionFormula, const N: usize>(
    simd: S,
    formula: F,
    length: usize,
    lines: &Lines<'_>,
    results: &mut [f32],
) {
    let neutral = [simd.f32(F::NEUTRAL); N];
    let shift = shifts::<S, F, N>(simd, length, lines);
    // The lanes of blocks, combined pairwise as in `order::Pairs`; most rows have one block.
    let mut pairs: Vec<[[S::F32; N]; LANES]> = Vec::new();
    let mut lanes = [neutral; LANES];
    for (number, start) in (0..length).step_by(BLOCK).enumerate() {
        let mut table = [neutral; PARTIALS * LANES];
        for index in start..length.min(start + BLOCK) {
            let x = lines.load::<S, N>(simd, index);
            let partial = &mut table[index % (PARTIALS * LANES)];
            for column in 0..N {
                let term = formula.term(simd, x[column], shift[column]);
                partial[column] = formula.combine(simd, partial[column], term);
            }
        }
        for half in [2 * LANES, LANES] {
            let (first, second) = table.split_at_mut(half);
            combine_tables(simd, formula, first, second);
        }
        lanes.copy_from_slice(&table[..LANES]);
        if length > BLOCK {
            for _ in 0..number.trailing_ones() {
                if let Some(before) = pairs.pop() {
                    lanes = combined(simd, formula, before, &lanes);
                }
            }
            pairs.push(lanes);
        }
    }
    if let Some(last) = pairs.pop() {
        lanes = last;
        while let Some(before) = pairs.pop() {
            lanes = combined(simd, formula, before, &lanes);
        }
    }
    for half in [8, 4, 2, 1] {
        let (first, second) = lanes.split_at_mut(half);
        combine_tables(simd, formula, first, second);
    }
    let count = simd.f32(length as f32);
    for (column, results) in results.chunks_mut(LANES).enumerate() {
        let mut values = [0.0; LANES];
        formula.finish(simd, lanes[0][column], count, shift[column]).store(&mut values);
        results.copy_from_slice(&values[..results.len()]);
    }
}

/// What the terms of each column are relative to.
#[inline(always)]
fn shifts<S: Simd, F: ReductionFormula, const N: usize>(simd: S, length: usize, lines: &Lines<'_>) -> [S::F32; N] {
    let zero = simd.f32(0.0);
    if !F::IS_SHIFTED {
        return [zero; N];
    }
    let mut greatest = [simd.f32(Max::NEUTRAL); N];
    for index in 0..length {
        let x = lines.load::<S, N>(simd, index);
        for column in 0..N {
            greatest[column] = Max.combine(simd, greatest[column], x[column]);
        }
    }
    for greatest in &mut greatest {
        *greatest = simd.select(greatest.abs().lt(simd.f32(f32::INFINITY)), *greatest, zero);
    }
    greatest
}

/// Combines each line of a table with that of another, which may be longer.
#[inline(always)]
fn combine_tables<S: Simd, F: ReductionFormula, const N: usize>(
    simd: S,
    formula: F,
    first: &mut [[S::F32; N]],
    second: &[[S::F32; N]],
) {
    for (first, second) in first.iter_mut().zip(second) {
        for column in 0..N {
            first[column] = formula.combine(simd, first[column], second[column]);
        }
    }
}

#[inline(always)]
fn combined<S: Simd, F: ReductionFormula, const N: usize>(
    simd: S,
    formula: F,
    mut first: [[S::F32; N]; LANES],
    second: &[[S::F32; N]; LANES],
) -> [[S::F32; N]; LANES] {
    combine_tables(simd, formula, &mut first, second);
    first
}
