//! Reductions of f32 that lie side by side in each row.

use super::drive::finish;
use super::order::{Row, across_lanes, across_rows, lanes, load_rest, to_array};
use super::{Max, ReductionFormula};
use crate::simd::{Float, LANES, Simd, Task};

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
        to_array::<S>(lanes_of_terms(simd, self.row, OfFormula { formula: self.formula, shift: simd.f32(self.shift) }))
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
        let Self { formula, elements, start, step, length, results } = self;
        let row = |index: usize| {
            let start = start.wrapping_add_signed(step.wrapping_mul(index as isize));
            &elements[start..start + length]
        };
        let count = simd.f32(length as f32);
        let (groups, rest) = results.as_chunks_mut::<LANES>();
        let rows_in_groups = groups.len() * LANES;
        for (group, results) in groups.iter_mut().enumerate() {
            let (mut shifts, mut rows) = ([0.0; LANES], [simd.f32(0.0); LANES]);
            for index in 0..LANES {
                let row = row(group * LANES + index);
                shifts[index] = shift::<S, F>(simd, row);
                rows[index] = lanes_of_terms(simd, row, OfFormula { formula, shift: simd.f32(shifts[index]) });
            }
            let total = across_rows(simd, rows, |a, b| formula.combine(simd, a, b));
            formula.finish(simd, total, count, simd.load(&shifts)).store(results);
        }
        for (index, result) in rest.iter_mut().enumerate() {
            let row = row(rows_in_groups + index);
            let shift = shift::<S, F>(simd, row);
            let lanes = lanes_of_terms(simd, row, OfFormula { formula, shift: simd.f32(shift) });
            *result = finish(formula, to_array::<S>(lanes), length, shift);
        }
    }
}

/// What the terms of a row are relative to.
#[inline(always)]
fn shift<S: Simd, F: ReductionFormula>(simd: S, row: &[f32]) -> f32 {
    if !F::IS_SHIFTED {
        return 0.0;
    }
    let lanes = lanes_of_terms(simd, row, OfFormula { formula: Max, shift: simd.f32(0.0) });
    let greatest = finish(Max, to_array::<S>(lanes), row.len(), 0.0);
    if greatest.is_finite() { greatest } else { 0.0 }
}

/// What is made of each element of a row, and how it is combined. Mark all methods `#[inline(always)]`.
pub(crate) trait Terms<S: Simd> {
    /// What partial results start from.
    const NEUTRAL: f32 = 0.0;
    /// What is combined for elements.
    fn term(&self, simd: S, x: S::F32) -> S::F32;
    /// Combines partial results.
    #[inline(always)]
    fn combine(&self, _simd: S, a: S::F32, b: S::F32) -> S::F32 {
        a + b
    }
}

/// The terms of a formula.
struct OfFormula<F, S: Simd> {
    formula: F,
    shift: S::F32,
}

impl<F: ReductionFormula, S: Simd> Terms<S> for OfFormula<F, S> {
    const NEUTRAL: f32 = F::NEUTRAL;

    #[inline(always)]
    fn term(&self, simd: S, x: S::F32) -> S::F32 {
        self.formula.term(simd, x, self.shift)
    }

    #[inline(always)]
    fn combine(&self, simd: S, a: S::F32, b: S::F32) -> S::F32 {
        self.formula.combine(simd, a, b)
    }
}

/// Elements side by side, as terms.
struct Elements<'a, S, T> {
    simd: S,
    terms: T,
    vectors: &'a [[f32; LANES]],
    rest: &'a [f32],
}

impl<S: Simd, T: Terms<S>> Row<S> for Elements<'_, S, T> {
    #[inline(always)]
    fn neutral(&self) -> S::F32 {
        self.simd.f32(T::NEUTRAL)
    }

    #[inline(always)]
    fn combine(&self, a: S::F32, b: S::F32) -> S::F32 {
        self.terms.combine(self.simd, a, b)
    }

    #[inline(always)]
    fn vector(&mut self, number: usize) -> S::F32 {
        self.terms.term(self.simd, self.simd.load(&self.vectors[number]))
    }

    #[inline(always)]
    fn rest(&mut self) -> S::F32 {
        let (x, exists) = load_rest(self.simd, self.rest);
        self.simd.select(exists, self.terms.term(self.simd, x), self.neutral())
    }
}

/// The sixteen lanes of what is made of each element of a row.
#[inline(always)]
pub(crate) fn lanes_of_terms<S: Simd, T: Terms<S>>(simd: S, row: &[f32], terms: T) -> S::F32 {
    let (vectors, rest) = row.as_chunks::<LANES>();
    lanes(&mut Elements { simd, terms, vectors, rest }, row.len())
}

/// The sum of what is made of each element of a row.
#[inline(always)]
pub(crate) fn sum_of_terms<S: Simd, T: Terms<S>>(simd: S, row: &[f32], terms: T) -> f32 {
    across_lanes(to_array::<S>(lanes_of_terms(simd, row, terms)), |a, b| a + b)
}
