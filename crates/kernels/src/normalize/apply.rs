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
    let x = x.map(<[f32]>::as_chunks::<LANES>);
    let (vectors, rest) = result.as_chunks_mut::<LANES>();
    let (scale, bias) = (Vectors::of(simd, scale), Vectors::of(simd, bias));
    // Each with its own loop, in which nothing is left to decide.
    macro_rules! each {
        (|$at:ident, $x:ident| $result:expr) => {{
            match x {
                Some((x, _)) => {
                    for ($at, (x, vector)) in x.iter().zip(vectors.iter_mut()).enumerate() {
                        let $x = (simd.load(x) - mean) * inverse;
                        $result.store(vector);
                    }
                }
                None => {
                    for ($at, vector) in vectors.iter_mut().enumerate() {
                        let $x = (simd.load(vector) - mean) * inverse;
                        $result.store(vector);
                    }
                }
            }
            if !rest.is_empty() {
                let ($at, mut values) = (vectors.len(), [0.0; LANES]);
                let x = x.map_or(&*rest, |(_, rest)| rest);
                let $x = (load_rest(simd, x).0 - mean) * inverse;
                $result.store(&mut values);
                rest.copy_from_slice(&values[..rest.len()]);
            }
        }};
    }
    match (scale, bias) {
        (None, None) => each!(|_at, x| x),
        (Some(scale), None) => each!(|at, x| x * scale.at(simd, at)),
        (None, Some(bias)) => each!(|at, x| x + bias.at(simd, at)),
        (Some(scale), Some(bias)) => each!(|at, x| x.mul_add(scale.at(simd, at), bias.at(simd, at))),
    }
}

/// A factor in vectors.
struct Vectors<'a, S: Simd> {
    one: S::F32,
    whole: &'a [[f32; LANES]],
    rest: &'a [f32],
    is_one: bool,
}

impl<'a, S: Simd> Vectors<'a, S> {
    #[inline(always)]
    fn of(simd: S, factor: Factor<'a>) -> Option<Self> {
        match factor {
            Factor::None => None,
            Factor::One(one) => Some(Self { one: simd.f32(one as f32), whole: &[], rest: &[], is_one: true }),
            Factor::Row(row) => {
                let (whole, rest) = cast_slice(row).as_chunks();
                Some(Self { one: simd.f32(0.0), whole, rest, is_one: false })
            }
        }
    }

    /// The vector of this number.
    #[inline(always)]
    fn at(&self, simd: S, at: usize) -> S::F32 {
        if self.is_one {
            self.one
        } else if let Some(vector) = self.whole.get(at) {
            simd.load(vector)
        } else {
            load_rest(simd, self.rest).0
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
