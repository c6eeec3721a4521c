//! Normalisation over a set of axes: layer, RMS, group, instance and batch normalisation are one text.
//!
//! For each row along the axes, in f32 for f32 and 16-bit floats:
//! 1. `mean = sum(x) / n`, or 0 where rows are not centred;
//! 2. `variance = sum((x - mean)^2) / n`, a second pass over the row;
//! 3. `inverse = 1 / sqrt(variance + epsilon)`;
//! 4. `normalised = (x - mean) * inverse`;
//! 5. the result is `normalised * scale + bias`, a fused multiply-add where there are both.
//!
//! Sums follow the order of evaluation of all reductions. Where the variance is not finite, the first four steps are redone
//! in f64, and `normalised` is rounded to f32: so rows of values like 1e30 have a result.
//!
//! # Error
//! The deviation `x - mean` has that of the mean, so elements that differ little from a large mean keep the digits that an f32
//! of that size leaves; nothing cancels beyond that, since squares are of deviations.

mod apply;
mod aside;
mod batch;
mod direct;
mod statistics;

pub use batch::BatchNorm;
pub(crate) use batch::run as run_batch;

use bytemuck::{cast_slice, cast_slice_mut};
use stratal_tensor_base::DType;

use crate::rows::{Along, Places, side_by_side};
use crate::simd::Isa;
use crate::stage::{DirectRows, Source, each_row};
use crate::{AnyView, AnyViewMut, Threads};
use apply::{Apply, Factor, FindAndApply, apply_f64};
use aside::Aside;
use statistics::Statistics;

/// What is subtracted before rows are scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Centre {
    /// The mean: rows then have mean 0 and variance 1.
    Mean,
    /// Nothing: rows then have a mean square of 1.
    Zero,
}

/// Normalisation over a set of axes.
///
/// Scale and bias are views broadcast to the operand's shape, so what they belong to is a matter of strides. For `x` of
/// `[N, C, H, W]`:
///
/// | normalisation | axes | scale and bias |
/// |---|---|---|
/// | layer, over the last axes | those | as expanded from the last axes |
/// | RMS | the last, [`Centre::Zero`] | as expanded from the last axis |
/// | instance | 2, 3 | `[1, C, 1, 1]`, expanded |
/// | group | of `x` seen as `[N, G, C / G, H, W]`: 2, 3, 4 | `[1, G, C / G, 1, 1]`, expanded |
/// | batch, in training | 0, 2, 3 | `[1, C, 1, 1]`, expanded |
///
/// ```
/// use stratal_kernels::{Centre, Normalization, Saved, Selection};
/// use stratal_tensor::{View, ViewMut};
/// use stratal_tensor_base::{Geometry, Shape};
///
/// // Layer normalisation of two rows, with a scale for each column.
/// let shape = Shape::new(&[2, 4])?;
/// let geometry = Geometry::contiguous(shape);
/// let row = Geometry::contiguous(Shape::new(&[1, 4])?).broadcast_to(&shape)?;
/// let (x, scale) = ([1.0_f32, 1.0, 3.0, 3.0, -8.0, -8.0, 8.0, 8.0], [1.0_f32, 10.0, 1.0, 10.0]);
/// let mut result = [0.0_f32; 8];
///
/// let kernels = Selection::new().kernels()?;
/// kernels.normalize(
///     &Normalization { centre: Centre::Mean, axes: &[1], epsilon: 0.0 },
///     &View::new(&x, geometry)?.into(),
///     Some(&View::new(&scale, row)?.into()),
///     None,
///     &mut ViewMut::new(&mut result, geometry)?.into(),
///     Saved::default(),
/// )?;
/// assert_eq!(result, [-1.0, -10.0, 1.0, 10.0, -1.0, -10.0, 1.0, 10.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Normalization<'a> {
    /// What is subtracted.
    pub centre: Centre,
    /// The axes along the rows, in any order; an axis named twice counts once. Without axes each element is a row.
    pub axes: &'a [usize],
    /// What is added to the variance, so that rows of equal elements have a result.
    pub epsilon: f32,
}

/// Places for what a normalisation finds on its way, for a backward pass or running statistics.
///
/// They are of f64 for f64 operands, and of f32 for all others.
#[derive(Debug, Default)]
pub struct Saved<'a, 'b> {
    /// The normalised elements, before scale and bias: the operand's shape.
    pub normalized: Option<&'a mut AnyViewMut<'b>>,
    /// The mean of each row, 0 where rows are not centred: the operand's shape with extent 1 along the rows.
    pub mean: Option<&'a mut AnyViewMut<'b>>,
    /// The variance of each row, or the mean square: the shape of `mean`.
    pub variance: Option<&'a mut AnyViewMut<'b>>,
    /// `1 / sqrt(variance + epsilon)`: the shape of `mean`.
    pub inverse_deviation: Option<&'a mut AnyViewMut<'b>>,
}

impl Saved<'_, '_> {
    fn is_empty(&self) -> bool {
        self.normalized.is_none() && self.mean.is_none() && self.variance.is_none() && self.inverse_deviation.is_none()
    }

    /// Writes what is known of rows to the places for it.
    fn write(&mut self, known: &[Statistics]) {
        write_statistics(known, self.mean.as_deref_mut(), |statistics| statistics.mean);
        write_statistics(known, self.variance.as_deref_mut(), |statistics| statistics.variance);
        write_statistics(known, self.inverse_deviation.as_deref_mut(), |statistics| statistics.inverse);
    }
}

impl Normalization<'_> {
    /// The operation's name.
    pub const fn name(&self) -> &'static str {
        match self.centre {
            Centre::Mean => "normalization",
            Centre::Zero => "rms_normalization",
        }
    }
}

/// The dtype in which floats of a dtype compute.
pub(crate) const fn computed(dtype: DType) -> DType {
    if matches!(dtype, DType::F64) { DType::F64 } else { DType::F32 }
}

/// The operands of a normalisation, all checked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Operands<'a, 'b> {
    pub(crate) x: &'a AnyView<'b>,
    pub(crate) scale: Option<&'a AnyView<'b>>,
    pub(crate) bias: Option<&'a AnyView<'b>>,
}

/// Normalises all rows of floats.
pub(crate) fn run(
    normalization: &Normalization<'_>,
    isa: Isa,
    threads: &Threads,
    operands: Operands<'_, '_>,
    result: &mut AnyViewMut<'_>,
    saved: Saved<'_, '_>,
    along: &Along,
) {
    let mut saved = saved;
    if saved.normalized.is_none()
        && let Some(rows) = DirectRows::new(operands.x, along, result.geometry())
        && let Some(scale) = shared(operands.scale, along)
        && let Some(bias) = shared(operands.bias, along)
    {
        let (is_centred, epsilon) = (normalization.centre == Centre::Mean, normalization.epsilon);
        let mut known =
            vec![Statistics::default(); if saved.is_empty() { 0 } else { result.shape().count() / rows.length }];
        rows.for_each_part(threads, result, &mut known, |first, result, known| {
            isa.run(direct::Part { is_centred, epsilon, rows, first, scale, bias, result, known });
        });
        return saved.write(&known);
    }
    let rows = Source::new(operands.x, along);
    let is_double = operands.x.dtype() == DType::F64;
    let find = |row: &[u8]| Statistics::of(normalization, isa, is_double, row);
    // Found beforehand where they are wanted too, else on the way, while a row is in the cache.
    let known = (!saved.is_empty()).then(|| statistics::of_all(isa, threads, &rows, &find));
    if let Some(known) = &known {
        saved.write(known);
    }
    let row = |row: usize, x: Option<&[u8]>, result: &mut [u8], scale: Factor<'_>, bias: Factor<'_>| {
        if known.is_none() && !is_double {
            let (is_centred, epsilon) = (normalization.centre == Centre::Mean, normalization.epsilon);
            let (x, result) = (x.map(cast_slice), cast_slice_mut(result));
            if isa.run(FindAndApply { is_centred, epsilon, scale, bias, x, result }) {
                return;
            }
        }
        let statistics = known.as_ref().map_or_else(|| find(x.unwrap_or(result)), |known| known[row]);
        if is_double {
            apply_f64(statistics, scale, bias, x.map(cast_slice), cast_slice_mut(result));
        } else {
            isa.run(Apply { statistics, scale, bias, x: x.map(cast_slice), result: cast_slice_mut(result) });
        }
    };
    let scale = operands.scale.map(|scale| Aside::new(isa, scale, along));
    let bias = operands.bias.map(|bias| Aside::new(isa, bias, along));
    if let Some(target) = saved.normalized {
        each_row(isa, threads, Some(&rows), target, along, &|index, x, result| {
            row(index, x, result, Factor::None, Factor::None);
        });
    }
    each_row(isa, threads, Some(&rows), result, along, &|index, x, result| {
        let (mut room_for_scale, mut room_for_bias) = (Vec::new(), Vec::new());
        let scale = scale.as_ref().map_or(Factor::None, |scale| scale.factor(isa, index, &mut room_for_scale));
        let bias = bias.as_ref().map_or(Factor::None, |bias| bias.factor(isa, index, &mut room_for_bias));
        row(index, x, result, scale, bias);
    });
}

/// What belongs to every row of f32, if that is the same row, and lies side by side; without an operand it is nothing.
fn shared<'a>(operand: Option<&AnyView<'a>>, along: &Along) -> Option<Factor<'a>> {
    let Some(operand) = operand else {
        return Some(Factor::None);
    };
    let (length, step) = side_by_side(operand.geometry(), along)?;
    let start = operand.geometry().offset() * size_of::<f32>();
    let is_shared = step == 0 || operand.shape().count() == length;
    is_shared.then(|| Factor::Row(&operand.bytes()[start..start + length * size_of::<f32>()]))
}

/// Writes one number of each row.
fn write_statistics(known: &[Statistics], target: Option<&mut AnyViewMut<'_>>, number: impl Fn(&Statistics) -> f64) {
    let Some(target) = target else {
        return;
    };
    let dtype = target.dtype();
    let (geometry, bytes) = target.parts();
    // All elements as one row.
    let places = Places::new(geometry, &[true; stratal_tensor_base::MAX_RANK]);
    let count = geometry.shape().count();
    if dtype == DType::F64 {
        let numbers: Vec<f64> = known.iter().map(number).collect();
        places.scatter(cast_slice(&numbers), 8, 0, 0..count, bytes);
    } else {
        let numbers: Vec<f32> = known.iter().map(|statistics| number(statistics) as f32).collect();
        places.scatter(cast_slice(&numbers), 4, 0, 0..count, bytes);
    }
}
