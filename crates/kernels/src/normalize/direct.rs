//! Rows of f32 that lie side by side, with one scale and bias for all of them: layer and RMS normalisation, most often.
//!
//! Sums of short rows are made of sixteen rows at a time, since adding up the lanes of one row, and the square root and the
//! division that follow, would take longer than the row.

use super::apply::{Apply, Factor};
use super::statistics::{Plain, Squares, Statistics, moments, of_doubles};
use crate::reduce::order::across_rows;
use crate::reduce::rows::lanes_of_terms;
use crate::simd::{Float, LANES, Simd, Task};
use crate::stage::DirectRows;

/// Elements of a row, at most, for sixteen at a time: they stay in the first-level cache from pass to pass.
const SHORT: usize = 256;

/// Some rows.
pub(super) struct Part<'a> {
    pub(super) is_centred: bool,
    pub(super) epsilon: f32,
    pub(super) rows: DirectRows<'a>,
    /// The first row's number.
    pub(super) first: usize,
    pub(super) scale: Factor<'a>,
    pub(super) bias: Factor<'a>,
    pub(super) result: &'a mut [f32],
    /// Where statistics go, if they are wanted.
    pub(super) known: &'a mut [Statistics],
}

impl Task for Part<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        let length = self.rows.length;
        let count = self.result.len() / length;
        let in_groups = if length <= SHORT { count / LANES * LANES } else { 0 };
        for first in (0..in_groups).step_by(LANES) {
            let numbers = sixteen(simd, self.is_centred, self.epsilon, &self.rows, self.first + first);
            for index in 0..LANES {
                self.apply(simd, first + index, numbers.map(|numbers| numbers[index]));
            }
        }
        // What a row waits for is found while the one before is worked on.
        let mut next = if in_groups < count { self.find(simd, in_groups) } else { [0.0; 3] };
        for row in in_groups..count {
            let numbers = next;
            if row + 1 < count {
                next = self.find(simd, row + 1);
            }
            self.apply(simd, row, numbers);
        }
    }
}

impl Part<'_> {
    /// Mean, variance and inverse deviation of a row.
    #[inline(always)]
    fn find<S: Simd>(&self, simd: S, row: usize) -> [f32; 3] {
        let (mean, variance) = moments(simd, self.is_centred, self.rows.row(self.first + row));
        [mean, variance, 1.0 / (variance + self.epsilon).sqrt()]
    }

    /// Normalises a row, by what is found in f64 if these are not finite.
    #[inline(always)]
    fn apply<S: Simd>(&mut self, simd: S, row: usize, [mean, variance, inverse]: [f32; 3]) {
        let x = self.rows.row(self.first + row);
        let statistics = match variance.is_finite() {
            true => Statistics::of_f32(mean, variance, inverse),
            false => of_doubles(self.is_centred, self.epsilon, x),
        };
        if let Some(place) = self.known.get_mut(row) {
            *place = statistics;
        }
        let result = &mut self.result[row * self.rows.length..][..self.rows.length];
        Apply { statistics, scale: self.scale, bias: self.bias, x: Some(x), result }.run(simd);
    }
}

/// Means, variances and inverse deviations of sixteen rows.
#[inline(always)]
fn sixteen<S: Simd>(simd: S, is_centred: bool, epsilon: f32, rows: &DirectRows<'_>, first: usize) -> [[f32; LANES]; 3] {
    let count = simd.f32(rows.length as f32);
    let (mut means, mut variances, mut inverses) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
    let mut lanes = [simd.f32(0.0); LANES];
    if is_centred {
        for (index, lanes) in lanes.iter_mut().enumerate() {
            *lanes = lanes_of_terms(simd, rows.row(first + index), Plain);
        }
        (across_rows(simd, lanes, |a, b| a + b) / count).store(&mut means);
    }
    for (index, lanes) in lanes.iter_mut().enumerate() {
        *lanes = lanes_of_terms(simd, rows.row(first + index), Squares { centre: simd.f32(means[index]) });
    }
    let variance = across_rows(simd, lanes, |a, b| a + b) / count;
    variance.store(&mut variances);
    (simd.f32(1.0) / (variance + simd.f32(epsilon)).sqrt()).store(&mut inverses);
    [means, variances, inverses]
}
