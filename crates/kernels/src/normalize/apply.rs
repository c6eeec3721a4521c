//! The last pass: elements become results.

use bytemuck::cast_slice;

use super::statistics::{Statistics, moments};
use crate::reduce::order::load_rest;
use crate::simd::{Float, LANES, Simd, Task};

/// What the elements of a row are multiplied by, or what is added.
#[derive(Debug, Clone, Copy)]
pub(super) enum Factor<'a> {
    None,
    /// The same for all elements.
    One(f64),
    /// One for each element, of the type that the row computes in.
    Row(&'a [u8]),
}

/// Normalises a row of f32; without an operand, the one in the result.
pub(super) struct Apply<'a> {
    pub(super) statistics: Statistics,
    pub(super) scale: Factor<'a>,
    pub(super) bias: Factor<'a>,
    pub(super) x: Option<&'a [f32]>,
    pub(super) result: &'a mut [f32],
}

impl Task for Apply<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { statistics, scale, bias, x, result } = self;
        if !statistics.is_double {
            let (mean, inverse) = (simd.f32(statistics.mean as f32), simd.f32(statistics.inverse as f32));
            return apply(simd, mean, inverse, scale, bias, x, result);
        }
        if let Some(x) = x {
            result.copy_from_slice(x);
        }
        for x in &mut *result {
            *x = ((f64::from(*x) - statistics.mean) * statistics.inverse) as f32;
        }
        apply(simd, simd.f32(0.0), simd.f32(1.0), scale, bias, None, result);
    }
}

/// Finds mean and variance of a row of f32 and normalises it at once, if both are finite.
pub(super) struct FindAndApply<'a> {
    pub(super) is_centred: bool,
    pub(super) epsilon: f32,
    pub(super) scale: Factor<'a>,
    pub(super) bias: Factor<'a>,
    pub(super) x: Option<&'a [f32]>,
    pub(super) result: &'a mut [f32],
}

impl Task for FindAndApply<'_> {
    /// Whether the row was normalised. If not, it is as before.
    type Output = bool;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> bool {
        let Self { is_centred, epsilon, scale, bias, x, result } = self;
        let (mean, variance) = moments(simd, is_centred, x.unwrap_or(result));
        if !variance.is_finite() {
            return false;
        }
        let inverse = 1.0 / (variance + epsilon).sqrt();
        apply(simd, simd.f32(mean), simd.f32(inverse), scale, bias, x, result);
        true
    }
}

/// Normalises a row of f32; without an operand, the one in the result.
#[inline(always)]
fn apply<S: Simd>(
    simd: S,
    mean: S::F32,
    inverse: S::F32,
    scale: Factor<'_>,
    bias: Factor<'_>,
    x: Option<&[f32]>,
    result: &mut [f32],
) {
    let count = result.len() / LANES;
    let normalize = Normalize { simd, mean, inverse };
    // Each with its own loop, in which nothing is left to decide: rows of layers and of RMS, numbers of instances and groups.
    match (scale, bias) {
        (Factor::None, Factor::None) => normalize.each(Plain, x, result),
        (Factor::Row(scale), Factor::Row(bias)) => {
            let (scale, bias) = (OfRow::new(scale, count), OfRow::new(bias, count));
            normalize.each(Affine { scale, bias }, x, result);
        }
        (Factor::Row(scale), Factor::None) => normalize.each(Scaled(OfRow::new(scale, count)), x, result),
        (Factor::One(scale), Factor::One(bias)) => {
            let (scale, bias) = (One(simd.f32(scale as f32)), One(simd.f32(bias as f32)));
            normalize.each(Affine { scale, bias }, x, result);
        }
        (scale, Factor::None) => normalize.each(Scaled(Any::new(simd, scale, count)), x, result),
        (Factor::None, bias) => normalize.each(Shifted(Any::new(simd, bias, count)), x, result),
        (scale, bias) => {
            let (scale, bias) = (Any::new(simd, scale, count), Any::new(simd, bias, count));
            normalize.each(Affine { scale, bias }, x, result);
        }
    }
}

/// What makes elements normalised ones.
struct Normalize<S: Simd> {
    simd: S,
    mean: S::F32,
    inverse: S::F32,
}

impl<S: Simd> Normalize<S> {
    #[inline(always)]
    fn of(&self, x: S::F32) -> S::F32 {
        (x - self.mean) * self.inverse
    }

    #[inline(always)]
    fn each<L: Last<S>>(&self, last: L, x: Option<&[f32]>, result: &mut [f32]) {
        let simd = self.simd;
        let (vectors, rest) = result.as_chunks_mut::<LANES>();
        let x = x.map(<[f32]>::as_chunks::<LANES>);
        match x {
            Some((x, _)) => {
                for (at, (x, vector)) in x[..vectors.len()].iter().zip(vectors).enumerate() {
                    last.at(simd, at, self.of(simd.load(x))).store(vector);
                }
            }
            None => {
                for (at, vector) in vectors.iter_mut().enumerate() {
                    last.at(simd, at, self.of(simd.load(vector))).store(vector);
                }
            }
        }
        if !rest.is_empty() {
            let x = x.map_or(&*rest, |(_, rest)| rest);
            let mut values = [0.0; LANES];
            last.rest(simd, self.of(load_rest(simd, x).0)).store(&mut values);
            rest.copy_from_slice(&values[..rest.len()]);
        }
    }
}

/// What is done to normalised elements: types and no closures, so that all of it is compiled for the instruction set.
trait Last<S: Simd> {
    /// To those of a whole vector.
    fn at(&self, simd: S, at: usize, x: S::F32) -> S::F32;
    /// To those behind the whole vectors.
    fn rest(&self, simd: S, x: S::F32) -> S::F32;
}

struct Plain;

impl<S: Simd> Last<S> for Plain {
    #[inline(always)]
    fn at(&self, _simd: S, _at: usize, x: S::F32) -> S::F32 {
        x
    }

    #[inline(always)]
    fn rest(&self, _simd: S, x: S::F32) -> S::F32 {
        x
    }
}

struct Scaled<A>(A);

impl<S: Simd, A: Vectors<S>> Last<S> for Scaled<A> {
    #[inline(always)]
    fn at(&self, simd: S, at: usize, x: S::F32) -> S::F32 {
        x * self.0.at(simd, at)
    }

    #[inline(always)]
    fn rest(&self, simd: S, x: S::F32) -> S::F32 {
        x * self.0.rest(simd)
    }
}

struct Shifted<A>(A);

impl<S: Simd, A: Vectors<S>> Last<S> for Shifted<A> {
    #[inline(always)]
    fn at(&self, simd: S, at: usize, x: S::F32) -> S::F32 {
        x + self.0.at(simd, at)
    }

    #[inline(always)]
    fn rest(&self, simd: S, x: S::F32) -> S::F32 {
        x + self.0.rest(simd)
    }
}

struct Affine<A> {
    scale: A,
    bias: A,
}

impl<S: Simd, A: Vectors<S>> Last<S> for Affine<A> {
    #[inline(always)]
    fn at(&self, simd: S, at: usize, x: S::F32) -> S::F32 {
        x.mul_add(self.scale.at(simd, at), self.bias.at(simd, at))
    }

    #[inline(always)]
    fn rest(&self, simd: S, x: S::F32) -> S::F32 {
        x.mul_add(self.scale.rest(simd), self.bias.rest(simd))
    }
}

/// A factor in vectors.
trait Vectors<S: Simd> {
    /// The vector of this number.
    fn at(&self, simd: S, at: usize) -> S::F32;
    /// Behind the whole vectors.
    fn rest(&self, simd: S) -> S::F32;
}

/// One number for all elements.
struct One<F>(F);

impl<S: Simd> Vectors<S> for One<S::F32> {
    #[inline(always)]
    fn at(&self, _simd: S, _at: usize) -> S::F32 {
        self.0
    }

    #[inline(always)]
    fn rest(&self, _simd: S) -> S::F32 {
        self.0
    }
}

/// One for each element.
struct OfRow<'a> {
    whole: &'a [[f32; LANES]],
    rest: &'a [f32],
}

impl<'a> OfRow<'a> {
    /// With so many whole vectors: cut to the length of the loop, so that it needs no checks.
    #[inline(always)]
    fn new(row: &'a [u8], count: usize) -> Self {
        let (whole, rest) = cast_slice(row).as_chunks();
        Self { whole: &whole[..count], rest }
    }
}

impl<S: Simd> Vectors<S> for OfRow<'_> {
    #[inline(always)]
    fn at(&self, simd: S, at: usize) -> S::F32 {
        simd.load(&self.whole[at])
    }

    #[inline(always)]
    fn rest(&self, simd: S) -> S::F32 {
        load_rest(simd, self.rest).0
    }
}

/// Either, for the rare cases. Nothing is zero.
struct Any<'a, S: Simd> {
    one: One<S::F32>,
    row: Option<OfRow<'a>>,
}

impl<'a, S: Simd> Any<'a, S> {
    #[inline(always)]
    fn new(simd: S, factor: Factor<'a>, count: usize) -> Self {
        match factor {
            Factor::None => Self { one: One(simd.f32(0.0)), row: None },
            Factor::One(one) => Self { one: One(simd.f32(one as f32)), row: None },
            Factor::Row(row) => Self { one: One(simd.f32(0.0)), row: Some(OfRow::new(row, count)) },
        }
    }
}

impl<S: Simd> Vectors<S> for Any<'_, S> {
    #[inline(always)]
    fn at(&self, simd: S, at: usize) -> S::F32 {
        match &self.row {
            Some(row) => row.at(simd, at),
            None => self.one.0,
        }
    }

    #[inline(always)]
    fn rest(&self, simd: S) -> S::F32 {
        match &self.row {
            Some(row) => row.rest(simd),
            None => self.one.0,
        }
    }
}

/// Normalises a row of f64; without an operand, the one in the result.
pub(super) fn apply_f64(
    statistics: Statistics,
    scale: Factor<'_>,
    bias: Factor<'_>,
    x: Option<&[f64]>,
    result: &mut [f64],
) {
    if let Some(x) = x {
        result.copy_from_slice(x);
    }
    let at = |factor: Factor<'_>, index: usize| match factor {
        Factor::None => None,
        Factor::One(one) => Some(one),
        Factor::Row(row) => Some(cast_slice::<u8, f64>(row)[index]),
    };
    for (index, x) in result.iter_mut().enumerate() {
        let normalized = (*x - statistics.mean) * statistics.inverse;
        *x = match (at(scale, index), at(bias, index)) {
            (None, None) => normalized,
            (Some(scale), None) => normalized * scale,
            (None, Some(bias)) => normalized + bias,
            (Some(scale), Some(bias)) => normalized.mul_add(scale, bias),
        };
    }
}
