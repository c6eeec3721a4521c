//! Softmax and its logarithm along an axis.
//!
//! With `m` the greatest `scale * x` of the row, rounded, and `t = scale * x - m`, which is never above zero (a fused
//! multiply-add could be far above, where the product is large):
//! - softmax is `e * (1 / sum(e))` with `e = exp(t)`;
//! - its logarithm is `t - log(sum(e))`, which is right where the softmax itself underflows.
//!
//! The sum follows the order of evaluation of all reductions. 16-bit floats compute in f32. A row with a NaN, a +inf or
//! nothing but -inf gives NaN throughout; an axis without elements has no results.
//!
//! # Error
//! Relative: softmax is off by at most `|t| / 2^24` from the rounding of `t`, 0.9 ulp for the exponential, as much for the sum and the roundings of its order, and two roundings.

use bytemuck::{cast_slice, cast_slice_mut};
use stratal_tensor_base::DType;

use crate::map::{Exp, Log, UnaryFormula, exp_below_89};
use crate::reduce::order::{self, across_lanes, across_rows, lanes, lanes_of, load_rest, to_array};
use crate::reduce::rows::{Terms, lanes_of_terms};
use crate::rows::Along;
use crate::simd::{Float, Isa, LANES, Simd, Task};
use crate::stage::{DirectRows, Source, each_row};
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
    if let Some(rows) = x.and_then(|x| DirectRows::new(x, along, result.geometry())) {
        let work = |first: usize, result: &mut [f32], _: &mut [()]| isa.run(Part { softmax, rows, first, result });
        return rows.for_each_part(threads, result, &mut [], work);
    }
    let x = x.map(|x| Source::new(x, along));
    each_row(isa, threads, x.as_ref(), result, along, &|_, x, result| {
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

/// Elements of a row and its result, at most, for sixteen rows at a time: they stay in the first-level cache.
const SHORT: usize = 256;

/// The softmax of some rows of f32.
struct Part<'a> {
    softmax: &'a Softmax,
    rows: DirectRows<'a>,
    /// The first row's number.
    first: usize,
    result: &'a mut [f32],
}

impl Task for Part<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { softmax, rows, first, result } = self;
        let length = rows.length;
        if softmax.scale != 1.0 {
            for (index, result) in result.chunks_exact_mut(length).enumerate() {
                Row { softmax, x: Some(rows.row(first + index)), result }.run(simd);
            }
        } else if softmax.is_logarithm {
            all::<S, true>(simd, &rows, first, result);
        } else {
            all::<S, false>(simd, &rows, first, result);
        }
    }
}

/// The softmax of some rows, each without a scale. What a row waits for is found while another is worked on: the greatest
/// elements of short rows for sixteen at a time, so are their sums, and those of a longer one during the row before.
#[inline(always)]
fn all<S: Simd, const IS_LOGARITHM: bool>(simd: S, rows: &DirectRows<'_>, first: usize, result: &mut [f32]) {
    let length = rows.length;
    let count = result.len() / length;
    let in_groups = if length <= SHORT { count / LANES * LANES } else { 0 };
    let (groups, others) = result.split_at_mut(in_groups * length);
    for (group, results) in groups.chunks_exact_mut(LANES * length).enumerate() {
        let first = first + group * LANES;
        let (mut lanes, mut numbers) = ([simd.f32(0.0); LANES], [0.0; LANES]);
        for (index, lanes) in lanes.iter_mut().enumerate() {
            *lanes = lanes_of_terms(simd, rows.row(first + index), Greatest);
        }
        across_rows(simd, lanes, |a, b| a.max(b)).store(&mut numbers);
        for (index, result) in results.chunks_exact_mut(length).enumerate() {
            lanes[index] = powers::<S, IS_LOGARITHM>(simd, numbers[index], Some(rows.row(first + index)), result);
        }
        let sums = across_rows(simd, lanes, |a, b| a + b);
        last::<S, IS_LOGARITHM>(simd, sums).store(&mut numbers);
        for (index, result) in results.chunks_exact_mut(length).enumerate() {
            finish::<S, IS_LOGARITHM>(simd, simd.f32(numbers[index]), result);
        }
    }
    let mut next = if in_groups < count { greatest(simd, rows.row(first + in_groups)) } else { 0.0 };
    for (index, result) in others.chunks_exact_mut(length).enumerate() {
        let (index, number) = (in_groups + index, next);
        if index + 1 < count {
            next = greatest(simd, rows.row(first + index + 1));
        }
        let sums = powers::<S, IS_LOGARITHM>(simd, number, Some(rows.row(first + index)), result);
        finish_row::<S, IS_LOGARITHM>(simd, sums, result);
    }
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
        let Self { softmax, mut x, result } = self;
        if softmax.scale != 1.0 {
            // A pass of its own for the rare case, so that the usual one has no multiplications.
            multiply(simd, simd.f32(softmax.scale), x, result);
            x = None;
        }
        let greatest = greatest(simd, x.unwrap_or(result));
        if softmax.is_logarithm {
            let sums = powers::<S, true>(simd, greatest, x, result);
            finish_row::<S, true>(simd, sums, result);
        } else {
            let sums = powers::<S, false>(simd, greatest, x, result);
            finish_row::<S, false>(simd, sums, result);
        }
    }
}

/// The greatest element of a row.
#[inline(always)]
fn greatest<S: Simd>(simd: S, row: &[f32]) -> f32 {
    across_lanes(to_array::<S>(lanes_of_terms(simd, row, Greatest)), |a, b| if a > b { a } else { b })
}

/// Writes the powers of a row, or what they are powers of, and gives the lanes of their sum.
#[inline(always)]
fn powers<S: Simd, const IS_LOGARITHM: bool>(simd: S, greatest: f32, x: Option<&[f32]>, result: &mut [f32]) -> S::F32 {
    let shift = Shift { simd, greatest: simd.f32(greatest) };
    let length = result.len();
    let (targets, target_rest) = result.as_chunks_mut::<LANES>();
    match x.map(<[f32]>::as_chunks::<LANES>) {
        Some((x, rest)) => {
            // Cut to the length of the loop, so that it needs no checks.
            let x = &x[..targets.len()];
            lanes(&mut Powers::<S, IS_LOGARITHM> { shift, x, rest, targets, target_rest }, length)
        }
        None => lanes(&mut PowersInPlace::<S, IS_LOGARITHM> { shift, targets, target_rest }, length),
    }
}

/// What the last pass multiplies by, or subtracts, for sums.
#[inline(always)]
fn last<S: Simd, const IS_LOGARITHM: bool>(simd: S, sums: S::F32) -> S::F32 {
    if IS_LOGARITHM { Log.f32(simd, sums) } else { simd.f32(1.0) / sums }
}

/// The last pass over a row, for the lanes of its sum.
#[inline(always)]
fn finish_row<S: Simd, const IS_LOGARITHM: bool>(simd: S, sums: S::F32, result: &mut [f32]) {
    let total = across_lanes(to_array::<S>(sums), |a, b| a + b);
    let number = last::<S, IS_LOGARITHM>(simd, simd.f32(total));
    finish::<S, IS_LOGARITHM>(simd, number, result);
}

/// The last pass over a row.
#[inline(always)]
fn finish<S: Simd, const IS_LOGARITHM: bool>(simd: S, number: S::F32, result: &mut [f32]) {
    if !IS_LOGARITHM {
        return multiply(simd, number, None, result);
    }
    let (vectors, rest) = result.as_chunks_mut::<LANES>();
    for vector in vectors {
        (simd.load(vector) - number).store(vector);
    }
    if !rest.is_empty() {
        let mut values = [0.0; LANES];
        (load_rest(simd, rest).0 - number).store(&mut values);
        rest.copy_from_slice(&values[..rest.len()]);
    }
}

/// Multiplies the elements of a row, or those of the result if there is none.
#[inline(always)]
fn multiply<S: Simd>(simd: S, scale: S::F32, x: Option<&[f32]>, result: &mut [f32]) {
    if let Some(x) = x {
        result.copy_from_slice(x);
    }
    let (vectors, rest) = result.as_chunks_mut::<LANES>();
    for vector in vectors {
        (simd.load(vector) * scale).store(vector);
    }
    if !rest.is_empty() {
        let mut values = [0.0; LANES];
        (load_rest(simd, rest).0 * scale).store(&mut values);
        rest.copy_from_slice(&values[..rest.len()]);
    }
}

/// The greatest of elements, NaN left out: where there is one, the sum is NaN and with it all results.
struct Greatest;

impl<S: Simd> Terms<S> for Greatest {
    const NEUTRAL: f32 = f32::NEG_INFINITY;

    #[inline(always)]
    fn term(&self, _simd: S, x: S::F32) -> S::F32 {
        x
    }

    #[inline(always)]
    fn combine(&self, _simd: S, a: S::F32, b: S::F32) -> S::F32 {
        b.max(a)
    }
}

/// From an element to its power.
#[derive(Clone, Copy)]
struct Shift<S: Simd> {
    simd: S,
    greatest: S::F32,
}

impl<S: Simd> Shift<S> {
    /// What is stored and what is summed for elements: the power is both, unless the logarithm is wanted.
    #[inline(always)]
    fn both<const IS_LOGARITHM: bool>(&self, x: S::F32) -> (S::F32, S::F32) {
        let shifted = x - self.greatest;
        let power = exp_below_89(self.simd, shifted);
        (if IS_LOGARITHM { shifted } else { power }, power)
    }

    /// Those for the rest of a row, which is stored.
    #[inline(always)]
    fn rest<const IS_LOGARITHM: bool>(&self, (x, exists): (S::F32, S::Mask), target: &mut [f32]) -> S::F32 {
        let (stored, power) = self.both::<IS_LOGARITHM>(x);
        let mut values = [0.0; LANES];
        stored.store(&mut values);
        target.copy_from_slice(&values[..target.len()]);
        self.simd.select(exists, power, self.simd.f32(0.0))
    }
}

/// The sum of powers, which are stored on the way.
struct Powers<'a, S: Simd, const IS_LOGARITHM: bool> {
    shift: Shift<S>,
    x: &'a [[f32; LANES]],
    rest: &'a [f32],
    targets: &'a mut [[f32; LANES]],
    target_rest: &'a mut [f32],
}

impl<S: Simd, const IS_LOGARITHM: bool> order::Row<S> for Powers<'_, S, IS_LOGARITHM> {
    #[inline(always)]
    fn neutral(&self) -> S::F32 {
        self.shift.simd.f32(0.0)
    }

    #[inline(always)]
    fn combine(&self, a: S::F32, b: S::F32) -> S::F32 {
        a + b
    }

    #[inline(always)]
    fn vector(&mut self, number: usize) -> S::F32 {
        let (stored, power) = self.shift.both::<IS_LOGARITHM>(self.shift.simd.load(&self.x[number]));
        stored.store(&mut self.targets[number]);
        power
    }

    #[inline(always)]
    fn rest(&mut self) -> S::F32 {
        self.shift.rest::<IS_LOGARITHM>(load_rest(self.shift.simd, self.rest), self.target_rest)
    }
}

/// The same of what is where powers are stored.
struct PowersInPlace<'a, S: Simd, const IS_LOGARITHM: bool> {
    shift: Shift<S>,
    targets: &'a mut [[f32; LANES]],
    target_rest: &'a mut [f32],
}

impl<S: Simd, const IS_LOGARITHM: bool> order::Row<S> for PowersInPlace<'_, S, IS_LOGARITHM> {
    #[inline(always)]
    fn neutral(&self) -> S::F32 {
        self.shift.simd.f32(0.0)
    }

    #[inline(always)]
    fn combine(&self, a: S::F32, b: S::F32) -> S::F32 {
        a + b
    }

    #[inline(always)]
    fn vector(&mut self, number: usize) -> S::F32 {
        let target = &mut self.targets[number];
        let (stored, power) = self.shift.both::<IS_LOGARITHM>(self.shift.simd.load(target));
        stored.store(target);
        power
    }

    #[inline(always)]
    fn rest(&mut self) -> S::F32 {
        self.shift.rest::<IS_LOGARITHM>(load_rest(self.shift.simd, self.target_rest), self.target_rest)
    }
}

/// The softmax of one row of f64.
fn of_doubles(softmax: &Softmax, row: &mut [f64]) {
    let scale = f64::from(softmax.scale);
    let max = |a, b| if b > a { b } else { a };
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
