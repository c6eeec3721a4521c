//! Reductions of f32 that lie side by side in each row.

use std::array::from_fn;

use super::order::{across_lanes, lanes, load_rest, to_array};
use super::{Max, ReductionFormula};
use crate::simd::{Float, Int, LANES, Simd, Task};

/// The sixteen lanes of one row, or of an aligned part of one.
pub(crate) struct Lanes<'a, F> {
    pub(crate) formula: F,
    pub(crate) row: &'a [f32],
    pub(crate) shift: f32,
}

impl<F: ReductionFormula> Task for Lanes<'_, F> {
    type Output = [f32; LANES];

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> [f32; LANES] {
        to_array::<S>(lanes_of_row(simd, self.formula, self.row, simd.f32(self.shift)))
    }
}

/// All results of rows that begin at equal distances.
pub(super) struct DirectRows<'a, F> {
    pub(super) formula: F,
    pub(super) elements: &'a [f32],
    /// Where the first row begins.
    pub(super) start: usize,
    /// From the beginning of a row to that of the next.
    pub(super) step: isize,
    pub(super) length: usize,
    pub(super) results: &'a mut [f32],
}

impl<F: ReductionFormula> Task for DirectRows<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let row = |index: usize| {
            let start = self.start.wrapping_add_signed(self.step.wrapping_mul(index as isize));
            &self.elements[start..start + self.length]
        };
        let combine = |a, b| self.formula.combine(simd, a, b);
        let count = simd.f32(self.length as f32);
        let (groups, rest) = self.results.as_chunks_mut::<LANES>();
        let rows_in_groups = groups.len() * LANES;
        for (group, results) in groups.iter_mut().enumerate() {
            // Sixteen rows at once: their lanes transposed, so that one vector combines a lane of all of them.
            let mut shifts = [0.0; LANES];
            let rows = from_fn(|index| {
                let row = row(group * LANES + index);
                shifts[index] = shift(simd, self.formula, row);
                lanes_of_row(simd, self.formula, row, simd.f32(shifts[index])).bits()
            });
            let lanes = simd.transpose(rows).map(Int::as_f32);
            let total = across_lanes(lanes, combine);
            self.formula.finish(simd, total, count, simd.load(&shifts)).store(results);
        }
        for (index, result) in rest.iter_mut().enumerate() {
            let row = row(rows_in_groups + index);
            let shift = shift(simd, self.formula, row);
            let lanes = to_array::<S>(lanes_of_row(simd, self.formula, row, simd.f32(shift)));
            *result = super::drive::finish(self.formula, lanes, self.length, shift);
        }
    }
}

/// What the terms of a row are relative to.
#[inline(always)]
fn shift<S: Simd, F: ReductionFormula>(simd: S, _formula: F, row: &[f32]) -> f32 {
    if !F::IS_SHIFTED {
        return 0.0;
    }
    let lanes = to_array::<S>(lanes_of_row(simd, Max, row, simd.f32(0.0)));
    let greatest = super::drive::finish(Max, lanes, row.len(), 0.0);
    if greatest.is_finite() { greatest } else { 0.0 }
}

/// The sixteen lanes of a row.
#[inline(always)]
fn lanes_of_row<S: Simd, F: ReductionFormula>(simd: S, formula: F, row: &[f32], shift: S::F32) -> S::F32 {
    let combine = |a, b| formula.combine(simd, a, b);
    lanes_of_terms(simd, row, F::NEUTRAL, combine, |x| formula.term(simd, x, shift))
}

/// The sixteen lanes of what is made of each element of a row.
#[inline(always)]
pub(crate) fn lanes_of_terms<S: Simd>(
    simd: S,
    row: &[f32],
    neutral: f32,
    combine: impl Fn(S::F32, S::F32) -> S::F32,
    term: impl Fn(S::F32) -> S::F32,
) -> S::F32 {
    let neutral = simd.f32(neutral);
    let (vectors, rest) = row.as_chunks::<LANES>();
    lanes::<S>(
        neutral,
        row.len(),
        combine,
        |at| term(simd.load(&vectors[at / LANES])),
        |_| {
            let (x, exists) = load_rest(simd, rest);
            simd.select(exists, term(x), neutral)
        },
    )
}

/// The sum of what is made of each element of a row.
#[inline(always)]
pub(crate) fn sum_of_terms<S: Simd>(simd: S, row: &[f32], term: impl Fn(S::F32) -> S::F32) -> f32 {
    let lanes = lanes_of_terms(simd, row, 0.0, |a, b| a + b, term);
    across_lanes(to_array::<S>(lanes), |a, b| a + b)
}
