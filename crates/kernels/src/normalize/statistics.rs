//! What a row is normalised by.

use bytemuck::{cast_slice, cast_slice_mut};

use super::{Centre, Normalization};
use crate::Threads;
use crate::reduce::order::{across_lanes, lanes_of};
use crate::reduce::rows::{Terms, sum_of_terms};
use crate::simd::{Isa, Simd, Task};
use crate::stage::Source;

/// Elements that one thread takes at a time.
const GRAIN: usize = 64 * 1024;

/// Mean, variance and inverse deviation of a row.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Statistics {
    /// 0 where rows are not centred.
    pub(super) mean: f64,
    /// Or the mean square.
    pub(super) variance: f64,
    pub(super) inverse: f64,
    /// Whether they were computed in f64; else they are values of f32.
    pub(super) is_double: bool,
}

impl Statistics {
    /// Those that were computed in f32.
    #[inline(always)]
    pub(super) fn of_f32(mean: f32, variance: f32, inverse: f32) -> Self {
        Self { mean: mean.into(), variance: variance.into(), inverse: inverse.into(), is_double: false }
    }

    /// Those of a row of f64 or f32, given as bytes.
    pub(super) fn of(normalization: &Normalization<'_>, isa: Isa, is_double: bool, row: &[u8]) -> Self {
        if is_double {
            return of_doubles(normalization.centre == Centre::Mean, normalization.epsilon, cast_slice::<u8, f64>(row));
        }
        let row: &[f32] = cast_slice(row);
        let is_centred = normalization.centre == Centre::Mean;
        let (mean, variance) = isa.run(Moments { is_centred, row });
        if !variance.is_finite() {
            return of_doubles(is_centred, normalization.epsilon, row);
        }
        Self::of_f32(mean, variance, 1.0 / (variance + normalization.epsilon).sqrt())
    }
}

/// The mean and variance of a row of f32.
struct Moments<'a> {
    is_centred: bool,
    row: &'a [f32],
}

impl Task for Moments<'_> {
    type Output = (f32, f32);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (f32, f32) {
        moments(simd, self.is_centred, self.row)
    }
}

/// The mean, or 0, and the variance of a row of f32.
#[inline(always)]
pub(super) fn moments<S: Simd>(simd: S, is_centred: bool, row: &[f32]) -> (f32, f32) {
    let count = row.len() as f32;
    let mean = if is_centred { sum_of_terms(simd, row, Plain) / count } else { 0.0 };
    (mean, sum_of_terms(simd, row, Squares { centre: simd.f32(mean) }) / count)
}

/// The elements themselves.
pub(super) struct Plain;

impl<S: Simd> Terms<S> for Plain {
    #[inline(always)]
    fn term(&self, _simd: S, x: S::F32) -> S::F32 {
        x
    }
}

/// The squares of distances from a centre.
pub(super) struct Squares<S: Simd> {
    pub(super) centre: S::F32,
}

impl<S: Simd> Terms<S> for Squares<S> {
    #[inline(always)]
    fn term(&self, _simd: S, x: S::F32) -> S::F32 {
        let distance = x - self.centre;
        distance * distance
    }
}

/// The same of a row of floats in f64.
pub(super) fn of_doubles<T: Copy + Into<f64>>(is_centred: bool, epsilon: f32, row: &[T]) -> Statistics {
    let count = row.len() as f64;
    let sum =
        |term: &dyn Fn(f64) -> f64| across_lanes(lanes_of(0.0, row, |x: T| term(x.into()), |a, b| a + b), |a, b| a + b);
    let mean = if is_centred { sum(&|x| x) / count } else { 0.0 };
    let variance = sum(&|x| (x - mean) * (x - mean)) / count;
    let inverse = 1.0 / (variance + f64::from(epsilon)).sqrt();
    Statistics { mean, variance, inverse, is_double: true }
}

/// Those of all rows.
pub(super) fn of_all(
    isa: Isa,
    threads: &Threads,
    rows: &Source<'_>,
    find: &(dyn Fn(&[u8]) -> Statistics + Sync),
) -> Vec<Statistics> {
    let places = rows.places;
    let mut all = vec![Statistics::default(); places.across().count()];
    let chunk = (GRAIN / places.along().count().max(1)).max(1);
    threads.for_each_chunk(&mut all, chunk, |first, part| {
        let mut room = Vec::new();
        for (index, statistics) in part.iter_mut().enumerate() {
            *statistics = match rows.direct(first + index) {
                Some(row) => find(row),
                None => {
                    let bytes = places.along().count() * rows.computed_size();
                    room.resize(bytes.div_ceil(8), 0_u64);
                    let room = &mut cast_slice_mut(&mut room)[..bytes];
                    rows.read(isa, first + index, room);
                    find(room)
                }
            };
        }
    });
    all
}
