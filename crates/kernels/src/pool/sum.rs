//! Sums: averages and power means, of f32, of 16-bit floats through f32, and of f64.

use bytemuck::Pod;
use stratal_tensor_base::Element;

use super::fold::Fold;
use super::maximum::{Step, fold, fold_few};
use super::split::{split, split_floats};
use crate::convert::{Half, narrow, widen};
use crate::map::{BinaryFormula, Pow};
use crate::simd::{Float, Isa, LANES, Simd, Task};

/// What is summed, and what is made of the sum.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Mean {
    /// The elements, divided by their number.
    Average,
    /// Magnitudes to a power, and the root of the sum.
    Power(i64),
}

impl Mean {
    const fn divides(self) -> bool {
        matches!(self, Self::Average)
    }
}

/// Sums in f32, inside a function that is compiled for an instruction set. `E` is f32, or the bits of 16-bit floats of the
/// format named.
#[derive(Clone, Copy)]
pub(super) struct SumF32<S, E> {
    pub(super) simd: S,
    /// The same instruction set, for what is not inlined.
    pub(super) isa: Isa,
    pub(super) mean: Mean,
    pub(super) half: Option<Half>,
    pub(super) element: std::marker::PhantomData<E>,
}

impl<S: Simd, E: Element> Fold for SumF32<S, E> {
    type Element = E;
    type Work = f32;

    const PADDING: f32 = -0.0;

    #[inline(always)]
    fn divides(self) -> bool {
        self.mean.divides()
    }

    #[inline(always)]
    fn read(self, from: &[E], to: &mut [f32]) -> bool {
        match self.half {
            Some(half) => widen(self.isa, half, words(from), to),
            None => to.copy_from_slice(words(from)),
        }
        if let Mean::Power(power) = self.mean {
            self.isa.run(Powers { power, row: to });
        }
        false
    }

    #[inline(always)]
    fn read_split(self, from: &[E], even: &mut [f32], odd: &mut [f32]) -> bool {
        if self.half.is_none() && self.mean.divides() {
            split_floats(self.simd, words(from), even, odd);
            return false;
        }
        // In pieces that stay in the first-level cache.
        let mut piece = [0.0; 256];
        for (index, from) in from.chunks(piece.len()).enumerate() {
            let start = index * piece.len() / 2;
            self.read(from, &mut piece[..from.len()]);
            split_floats(self.simd, &piece[..from.len()], &mut even[start..], &mut odd[start..]);
        }
        false
    }

    #[inline(always)]
    fn borrow(self, row: &[E]) -> Option<(&[f32], bool)> {
        (self.half.is_none() && self.mean.divides()).then(|| (words(row), false))
    }

    #[inline(always)]
    fn borrow_mut(self, row: &mut [E]) -> Option<&mut [f32]> {
        self.half.is_none().then(|| bytemuck::cast_slice_mut(row))
    }

    #[inline(always)]
    fn fold(self, taps: &[&[f32]], _with_care: bool, onto: bool, to: &mut [f32]) {
        fold(self.simd, Added, taps, onto, to);
    }

    #[inline(always)]
    fn fold_few<const N: usize>(self, taps: [&[f32]; N], _with_care: bool, to: &mut [f32]) {
        fold_few(self.simd, Added, taps, to);
    }

    #[inline(always)]
    fn finish(self, row: &mut [f32], divisors: &[f32]) {
        match self.mean {
            Mean::Average => row.iter_mut().zip(divisors).for_each(|(sum, divisor)| *sum /= divisor),
            Mean::Power(power) => self.isa.run(Roots { power, row }),
        }
    }

    #[inline(always)]
    fn divisor(self, count: u64) -> f32 {
        count as f32
    }

    #[inline(always)]
    fn write(self, from: &[f32], to: &mut [E]) {
        match self.half {
            Some(half) => narrow(self.isa, half, from, bytemuck::cast_slice_mut(to)),
            None => bytemuck::cast_slice_mut(to).copy_from_slice(from),
        }
    }
}

/// Elements as the type that they are; sizes are equal.
fn words<E: Pod, W: Pod>(row: &[E]) -> &[W] {
    bytemuck::cast_slice(row)
}

/// Sums in f64.
#[derive(Clone, Copy)]
pub(super) struct SumF64 {
    pub(super) isa: Isa,
    pub(super) mean: Mean,
}

impl Fold for SumF64 {
    type Element = f64;
    type Work = f64;

    const PADDING: f64 = -0.0;

    fn divides(self) -> bool {
        self.mean.divides()
    }

    fn read(self, from: &[f64], to: &mut [f64]) -> bool {
        match self.mean {
            Mean::Average => to.copy_from_slice(from),
            Mean::Power(power) => {
                for (to, x) in to.iter_mut().zip(from) {
                    *to = to_power_f64(*x, power);
                }
            }
        }
        false
    }

    fn read_split(self, from: &[f64], even: &mut [f64], odd: &mut [f64]) -> bool {
        let mut row = vec![0.0; from.len()];
        self.read(from, &mut row);
        split(&row, even, odd);
        false
    }

    fn borrow_mut(self, row: &mut [f64]) -> Option<&mut [f64]> {
        Some(row)
    }

    fn fold(self, taps: &[&[f64]], _with_care: bool, onto: bool, to: &mut [f64]) {
        self.isa.run(SumsF64 { taps, onto, to });
    }

    fn finish(self, row: &mut [f64], divisors: &[f64]) {
        match self.mean {
            Mean::Average => row.iter_mut().zip(divisors).for_each(|(sum, divisor)| *sum /= divisor),
            Mean::Power(power) => row.iter_mut().for_each(|sum| *sum = root_f64(*sum, power)),
        }
    }

    fn divisor(self, count: u64) -> f64 {
        count as f64
    }

    fn write(self, from: &[f64], to: &mut [f64]) {
        to.copy_from_slice(from);
    }
}

/// The magnitude to a power.
#[inline(always)]
pub(crate) fn to_power<S: Simd>(simd: S, x: S::F32, power: i64) -> S::F32 {
    match power {
        1 => x.abs(),
        2 => x * x,
        _ => Pow.f32(simd, x.abs(), simd.f32(power as f32)),
    }
}

/// The root of a sum of powers.
#[inline(always)]
pub(crate) fn root<S: Simd>(simd: S, sum: S::F32, power: i64) -> S::F32 {
    match power {
        1 => sum,
        2 => sum.sqrt(),
        _ => Pow.f32(simd, sum, simd.f32(1.0 / power as f32)),
    }
}

/// [`to_power`] of f64.
pub(crate) fn to_power_f64(x: f64, power: i64) -> f64 {
    match power {
        1 => x.abs(),
        2 => x * x,
        _ => Pow.f64(x.abs(), power as f64),
    }
}

/// [`root`] of f64.
pub(crate) fn root_f64(sum: f64, power: i64) -> f64 {
    match power {
        1 => sum,
        2 => sum.sqrt(),
        _ => Pow.f64(sum, 1.0 / power as f64),
    }
}

/// The sum.
#[derive(Clone, Copy)]
struct Added;

impl Step for Added {
    #[inline(always)]
    fn step<S: Simd>(self, _simd: S, so_far: S::F32, x: S::F32) -> S::F32 {
        so_far + x
    }
}

struct SumsF64<'a> {
    taps: &'a [&'a [f64]],
    onto: bool,
    to: &'a mut [f64],
}

impl Task for SumsF64<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _simd: S) {
        let (to, mut taps) = (self.to, self.taps);
        if !self.onto
            && let Some((first, others)) = taps.split_first()
        {
            to.copy_from_slice(&first[..to.len()]);
            taps = others;
        }
        for tap in taps {
            for (sum, x) in to.iter_mut().zip(*tap) {
                *sum += x;
            }
        }
    }
}

struct Powers<'a> {
    power: i64,
    row: &'a mut [f32],
}

impl Task for Powers<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (vectors, rest) = self.row.as_chunks_mut::<LANES>();
        for vector in vectors {
            to_power(simd, simd.load(vector), self.power).store(vector);
        }
        if !rest.is_empty() {
            let mut lanes = filled(rest);
            to_power(simd, simd.load(&lanes), self.power).store(&mut lanes);
            rest.copy_from_slice(&lanes[..rest.len()]);
        }
    }
}

struct Roots<'a> {
    power: i64,
    row: &'a mut [f32],
}

impl Task for Roots<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (vectors, rest) = self.row.as_chunks_mut::<LANES>();
        for vector in vectors {
            root(simd, simd.load(vector), self.power).store(vector);
        }
        if !rest.is_empty() {
            let mut lanes = filled(rest);
            root(simd, simd.load(&lanes), self.power).store(&mut lanes);
            rest.copy_from_slice(&lanes[..rest.len()]);
        }
    }
}

/// The last elements of a row, filled up with ones.
#[inline(always)]
fn filled(rest: &[f32]) -> [f32; LANES] {
    let mut lanes = [1.0; LANES];
    lanes[..rest.len()].copy_from_slice(rest);
    lanes
}
