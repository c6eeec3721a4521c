//! Softmax and its logarithm along an axis.
//!
//! With `t = scale * x` and `m` the greatest `t` of the row:
//! - softmax is `e * (1 / sum(e))` with `e = exp(t - m)`;
//! - its logarithm is `(t - m) - log(sum(e))`, which is right where the softmax itself underflows.
//!
//! The sum follows the order of evaluation of all reductions. 16-bit floats compute in f32. A row with a NaN, a +inf or
//! nothing but -inf gives NaN throughout; an axis without elements has no results.
//!
//! # Error
//! Relative, with `d = |t - m|` a difference of two f32, rounded: softmax is off by at most `d / 2^24` from that rounding,
//! 1.4 ulp for the exponential, as much for the sum and its order, and two roundings.

use bytemuck::{cast_slice, cast_slice_mut};
use stratal_tensor_base::DType;

use crate::map::{Exp, Log, UnaryFormula};
use crate::reduce::order::{across_lanes, lanes, lanes_of, load_rest, to_array};
use crate::reduce::rows::lanes_of_terms;
use crate::reduce::{Max, ReductionFormula};
use crate::rows::Along;
use crate::simd::{Float, Isa, LANES, Portable, Simd, Task};
use crate::stage::{Source, each_row};
use crate::{AnyView, AnyViewMut, Threads};

/// Softmax along an axis: `exp(scale * x)`, divided by the sum over the axis.
///
/// ```
/// use stratal_kernels::{Selection, Softmax};
/// use stratal_tensor::{View, ViewMut};
/// use stratal_tensor_base::{Geometry, Shape};
///
/// let geometry = Geometry::contiguous(Shape::new(&[2, 2])?);
/// let (x, mut result) = ([0.0_f32, 0.0, 0.0, -200.0], [0.0_f32; 4]);
/// let kernels = Selection::new().kernels()?;
/// let (x, mut target) = (View::new(&x, geometry)?.into(), ViewMut::new(&mut result, geometry)?.into());
/// kernels.softmax(&Softmax::along(1), &x, &mut target)?;
/// assert_eq!(result, [0.5, 0.5, 1.0, 0.0]);
///
/// let mut target = ViewMut::new(&mut result, geometry)?.into();
/// kernels.softmax(&Softmax { is_logarithm: true, ..Softmax::along(1) }, &x, &mut target)?;
/// assert_eq!(result[2..], [0.0, -200.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Softmax {
    /// The axis along which results add up to one.
    pub axis: usize,
    /// What elements are multiplied by first.
    pub scale: f32,
    /// Whether the logarithm is wanted: `log_softmax`.
    pub is_logarithm: bool,
}

impl Softmax {
    /// Plain softmax along an axis.
    pub const fn along(axis: usize) -> Self {
        Self { axis, scale: 1.0, is_logarithm: false }
    }

    /// The operation's name.
    pub const fn name(&self) -> &'static str {
        if self.is_logarithm { "log_softmax" } else { "softmax" }
    }
}

/// Softmax of all rows of floats; without an operand, of those in the result.
pub(crate) fn run(
    softmax: &Softmax,
    isa: Isa,
    threads: &Threads,
    x: Option<&AnyView<'_>>,
    result: &mut AnyViewMut<'_>,
    along: &Along,
) {
    let is_double = result.dtype() == DType::F64;
    each_row(isa, threads, x.map(|x| Source::new(x, along)), result, along, &|_, x, result| {
        if is_double {
            if let Some(x) = x {
                result.copy_from_slice(x);
            }
            of_doubles(softmax, cast_slice_mut(result));
        } else {
            isa.run(Row { softmax, x: x.map(cast_slice), result: cast_slice_mut(result) });
        }
    });
}

/// The softmax of one row of f32; without an operand, of what is in the result.
struct Row<'a> {
    softmax: &'a Softmax,
    x: Option<&'a [f32]>,
    result: &'a mut [f32],
}

impl Task for Row<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { softmax, x, result } = self;
        let scale = simd.f32(softmax.scale);
        let greatest = greatest(simd, x.unwrap_or(result), scale);
        if softmax.is_logarithm {
            let shift = |t| t - greatest;
            let total = transform(simd, x, result, scale, shift, |t| Exp.f32(simd, t));
            let log = simd.f32(one_lane(|simd| Log.f32(simd, simd.f32(total))));
            each(simd, result, |t| t - log);
        } else {
            let total = transform(simd, x, result, scale, |t| Exp.f32(simd, t - greatest), |e| e);
            let factor = simd.f32(1.0 / total);
            each(simd, result, |e| e * factor);
        }
    }
}

/// The greatest element times the scale, in all lanes.
#[inline(always)]
fn greatest<S: Simd>(simd: S, row: &[f32], scale: S::F32) -> S::F32 {
    let lanes = lanes_of_terms(simd, row, Max::NEUTRAL, |a, b| Max.combine(simd, a, b), |x| x * scale);
    simd.f32(across_lanes(to_array::<S>(lanes), |a, b| if a.is_nan() || a > b { a } else { b }))
}

/// Writes `function(scale * x)` of all elements and gives the sum of the terms made of it.
#[inline(always)]
fn transform<S: Simd>(
    simd: S,
    x: Option<&[f32]>,
    result: &mut [f32],
    scale: S::F32,
    function: impl Fn(S::F32) -> S::F32,
    term: impl Fn(S::F32) -> S::F32,
) -> f32 {
    let neutral = simd.f32(0.0);
    let length = result.len();
    let (targets, target_rest) = result.as_chunks_mut::<LANES>();
    let combine = |a: S::F32, b: S::F32| a + b;
    let last = |value: S::F32, exists, target_rest: &mut [f32]| {
        let value = function(value * scale);
        let mut values = [0.0; LANES];
        value.store(&mut values);
        target_rest.copy_from_slice(&values[..target_rest.len()]);
        simd.select(exists, term(value), neutral)
    };
    let sums = match x {
        Some(x) => {
            let (vectors, rest) = x.as_chunks::<LANES>();
            let each = |at: usize| {
                let value = function(simd.load(&vectors[at / LANES]) * scale);
                value.store(&mut targets[at / LANES]);
                term(value)
            };
            lanes::<S>(neutral, length, combine, each, |_| {
                let (x, exists) = load_rest(simd, rest);
                last(x, exists, target_rest)
            })
        }
        None => {
            let each = |at: usize| {
                let target = &mut targets[at / LANES];
                let value = function(simd.load(target) * scale);
                value.store(target);
                term(value)
            };
            lanes::<S>(neutral, length, combine, each, |_| {
                let (x, exists) = load_rest(simd, target_rest);
                last(x, exists, target_rest)
            })
        }
    };
    across_lanes(to_array::<S>(sums), |a, b| a + b)
}

/// Replaces all elements.
#[inline(always)]
fn each<S: Simd>(simd: S, row: &mut [f32], function: impl Fn(S::F32) -> S::F32) {
    let (vectors, rest) = row.as_chunks_mut::<LANES>();
    for vector in vectors {
        function(simd.load(vector)).store(vector);
    }
    if !rest.is_empty() {
        let mut values = [0.0; LANES];
        function(load_rest(simd, rest).0).store(&mut values);
        rest.copy_from_slice(&values[..rest.len()]);
    }
}

/// A formula on one number.
fn one_lane(formula: impl Fn(Portable<1>) -> <Portable<1> as Simd>::F32) -> f32 {
    let mut lanes = [0.0; LANES];
    formula(Portable).store(&mut lanes);
    lanes[0]
}

/// The softmax of one row of f64.
fn of_doubles(softmax: &Softmax, row: &mut [f64]) {
    let scale = f64::from(softmax.scale);
    let max = |a, b| Max.combine_f64(a, b);
    let greatest = across_lanes(lanes_of(f64::NEG_INFINITY, row, |x| x * scale, max), max);
    row.iter_mut().for_each(|x| *x = *x * scale - greatest);
    let add = |a, b| a + b;
    if softmax.is_logarithm {
        let log = Log.f64(across_lanes(lanes_of(0.0, row, |t| Exp.f64(t), add), add));
        row.iter_mut().for_each(|t| *t -= log);
    } else {
        row.iter_mut().for_each(|t| *t = Exp.f64(*t));
        let factor = 1.0 / across_lanes(lanes_of(0.0, row, |e| e, add), add);
        row.iter_mut().for_each(|e| *e *= factor);
    }
}
