//! The way along a sequence, which all recurrent operators share.
//!
//! What inputs bring to the gates of all steps is one product. Then one step after another is made from that and from the
//! state. 16-bit floats are computed in f32 from the first product to the last state, and narrowed where they are written.

use std::ops::{Add, Mul, Sub};

use stratal_kernels::{AnyView, AnyViewMut, map};
use stratal_tensor::Tensor;
use stratal_tensor_base::{Element, Geometry, Scalar, Shape};

use super::matrix::Matrix;
use super::{Activation, Recurrence};
use crate::operands::{held, in_dtype, unfit, zeros};
use crate::{Cause, Context, Inputs, Outputs, Place, read, write};

/// What layers compute in: f32 or f64.
pub(super) trait Real: Element + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    const ONE: Self;
}

impl Real for f32 {
    const ONE: Self = 1.0;
}

impl Real for f64 {
    const ONE: Self = 1.0;
}

/// One direction of a layer.
pub(super) trait Cell<T: Real> {
    /// How many gates there are.
    const GATES: usize;

    /// The weights of inputs, `[features, GATES * hidden]`.
    fn input(&self) -> &Matrix;

    /// What is added for each gate: one number for each row of the weights.
    fn bias(&self) -> Option<&Tensor>;

    /// Makes a step: from what inputs bring to the gates, `[batch, GATES * hidden]`, and the states. Those of the sequences that
    /// have ended stay.
    fn step(&self, step: &Step<'_>, gates: &mut AnyViewMut<'_>, states: &mut States<'_>) -> Result<(), Cause>;
}

/// A step of all sequences.
pub(super) struct Step<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) clip: Option<f32>,
    time: usize,
    lengths: Option<&'a [usize]>,
}

/// The states, `[batch, hidden]`.
pub(super) struct States<'a> {
    pub(super) hidden: Place<'a>,
    pub(super) cell: Place<'a>,
}

impl Step<'_> {
    /// Whether a sequence has this step.
    pub(super) fn is_in(&self, batch: usize) -> bool {
        self.lengths.is_none_or(|lengths| lengths.get(batch).is_some_and(|&length| self.time < length))
    }

    /// Bounds gates and applies a function to them.
    pub(super) fn activate(&self, activation: Activation, gates: &mut AnyViewMut<'_>) -> Result<(), Cause> {
        if let Some(clip) = self.clip {
            let (lower, upper) = (Scalar::from(-clip), Scalar::from(clip));
            self.context.kernels().unary_in_place(&map::Clip::new(Some(lower), Some(upper)), gates)?;
        }
        activation.apply(self.context.kernels(), gates)
    }
}

/// The elements of a row-major view, to write.
pub(super) fn slice<'a, T: Real>(view: &'a mut AnyViewMut<'_>) -> Result<&'a mut [T], Cause> {
    let unfit = || Cause::Unfit("scratch space is not row-major".into());
    let start = view.geometry().offset();
    let count = view.shape().count();
    let typed = view.typed::<T>().filter(|typed| typed.geometry().is_contiguous()).ok_or_else(unfit)?;
    typed.into_elements().get_mut(start..start + count).ok_or_else(unfit)
}

/// Goes along the sequences in all directions. `cell` makes what a direction needs; an axis of the weights of states has the
/// extent of one.
pub(super) fn run<T: Real, C: Cell<T>>(
    recurrence: &Recurrence,
    axis: usize,
    context: &Context<'_>,
    inputs: &Inputs<'_>,
    outputs: &mut Outputs<'_>,
    cell: impl Fn(usize) -> Result<C, Cause>,
) -> Result<(), Cause> {
    let x = inputs.required(0)?;
    let hidden = inputs.required(2)?.shape().extents().get(axis).map_or(0, |&extent| i64::from(extent));
    let x = if recurrence.is_batch_first { x.seen(|geometry| geometry.transpose(0, 1))? } else { *x };
    let &[steps, batch, _] = x.shape().extents() else { return Err(unfit(x.dtype(), x.shape())) };
    let (steps, batch) = (i64::from(steps), i64::from(batch));
    let lengths = lengths(inputs, steps as usize)?;
    let [mut sequence, mut last_hidden, mut last_cell] = outputs.places([0, 1, 2])?;
    if batch * hidden == 0 {
        return Ok(());
    }

    let state = Shape::new(&[batch, hidden])?;
    for direction in 0..recurrence.direction.count() {
        let parts = cell(direction)?;
        let gates = context.scratch(T::DTYPE, &Shape::new(&[steps, batch, C::GATES as i64 * hidden])?)?;
        let mut gates = held(&gates)?;
        bring_in(context, &parts, &x, &mut gates.view()?)?;
        let of_direction = |geometry: &Geometry| {
            Ok::<_, Cause>(geometry.select(if recurrence.is_batch_first { 1 } else { 0 }, direction as i64)?)
        };
        let first = |input: usize| match inputs.get(input) {
            Some(state) => context.converted(&state.seen(of_direction)?, T::DTYPE),
            None => zeros(context, T::DTYPE, &state),
        };
        let (hidden, cell) = (first(5)?, first(6)?);
        let mut states = States { hidden: held(&hidden)?, cell: held(&cell)? };
        let shown = zeros(context, T::DTYPE, &state)?;
        for index in 0..steps {
            let time = if recurrence.direction.is_reverse(direction) { steps - 1 - index } else { index };
            let step = Step { context, clip: recurrence.clip, time: time as usize, lengths: lengths.as_deref() };
            let mut gates = gates.view()?;
            let mut gates = gates.seen(|geometry| Ok::<_, Cause>(geometry.select(0, time)?))?;
            parts.step(&step, &mut gates, &mut states)?;
            if let Some(sequence) = &mut sequence {
                let (time_axis, direction_axis) = if recurrence.is_batch_first { (1, 1) } else { (0, 0) };
                let mut sequence = sequence.view()?;
                let mut place = sequence.seen(|geometry| {
                    Ok::<_, Cause>(geometry.select(time_axis, time)?.select(direction_axis, direction as i64)?)
                })?;
                show::<T>(&step, &mut states.hidden, &shown, &mut place)?;
            }
        }
        let finish = |state: &mut Place<'_>, last: &mut Option<Place<'_>>| {
            let Some(last) = last else { return Ok(()) };
            let mut last = last.view()?;
            let mut place = last.seen(of_direction)?;
            Ok::<_, Cause>(context.kernels().cast(&state.view()?.as_view(), &mut place)?)
        };
        finish(&mut states.hidden, &mut last_hidden)?;
        finish(&mut states.cell, &mut last_cell)?;
    }
    Ok(())
}

/// What inputs bring to the gates of all steps.
fn bring_in<T: Real, C: Cell<T>>(
    context: &Context<'_>,
    cell: &C,
    x: &AnyView<'_>,
    gates: &mut AnyViewMut<'_>,
) -> Result<(), Cause> {
    let shape = *gates.shape();
    let copy = |bias: &AnyView<'_>, gates: &mut AnyViewMut<'_>| {
        let bias = bias.seen(|geometry| Ok::<_, Cause>(geometry.broadcast_to(&shape)?))?;
        Ok::<_, Cause>(context.kernels().copy(&bias, gates)?)
    };
    match cell.bias() {
        Some(bias) => copy(&read(bias)?.view()?, gates)?,
        None => crate::operands::with_number(T::DTYPE, 0.0, &shape, |zero| copy(zero, gates))?,
    }
    if shape.is_empty() {
        return Ok(());
    }
    in_dtype(context, x, T::DTYPE, |x| cell.input().add(context, x, gates))
}

/// Writes the state behind a step; zeros for sequences that do not have it.
fn show<T: Real>(
    step: &Step<'_>,
    hidden: &mut Place<'_>,
    shown: &Tensor,
    place: &mut AnyViewMut<'_>,
) -> Result<(), Cause> {
    let kernels = step.context.kernels();
    let mut hidden = hidden.view()?;
    let batch = hidden.shape().extent(0);
    if (0..batch).all(|batch| step.is_in(batch)) {
        return Ok(kernels.cast(&hidden.as_view(), place)?);
    }
    let mut shown = held(shown)?;
    let mut shown = shown.view()?;
    let (from, to) = (slice::<T>(&mut hidden)?, slice::<T>(&mut shown)?);
    let size = from.len() / batch;
    for (batch, (from, to)) in from.chunks_exact(size).zip(to.chunks_exact_mut(size)).enumerate() {
        if step.is_in(batch) {
            to.copy_from_slice(from);
        } else {
            to.fill(T::zeroed());
        }
    }
    Ok(kernels.cast(&shown.as_view(), place)?)
}

/// The number of steps of each sequence, if they are given.
fn lengths(inputs: &Inputs<'_>, steps: usize) -> Result<Option<Vec<usize>>, Cause> {
    let Some(lengths) = inputs.integers(4)? else { return Ok(None) };
    let length = |given: &i64| {
        let expected = || format!("0 to {steps}, the number of steps");
        let length = usize::try_from(*given).ok().filter(|&length| length <= steps);
        length.ok_or_else(|| Cause::Element { input: 4, value: (*given).into(), expected: expected() })
    };
    lengths.iter().map(length).collect::<Result<_, _>>().map(Some)
}

/// The biases of a direction: those of inputs, with those of states added in the rows where that is asked for.
pub(super) fn sum_of_biases<T: Real>(
    context: &Context<'_>,
    biases: Option<&AnyView<'_>>,
    direction: usize,
    summed: impl Fn(usize) -> bool,
) -> Result<Option<Tensor>, Cause> {
    let Some(biases) = biases else { return Ok(None) };
    let biases = biases.seen(|geometry| geometry.select(0, direction as i64))?;
    let biases = context.converted(&biases, T::DTYPE)?;
    let rows = biases.count() / 2;
    let sum = context.scratch(T::DTYPE, &Shape::new(&[rows as i64])?)?;
    let mut biases = held(&biases)?;
    let mut biases = biases.view()?;
    let (of_inputs, of_states) = slice::<T>(&mut biases)?.split_at(rows);
    write(&sum, |sum| {
        for (row, sum) in slice::<T>(sum)?.iter_mut().enumerate() {
            *sum = if summed(row) { of_inputs[row] + of_states[row] } else { of_inputs[row] };
        }
        Ok::<_, Cause>(())
    })?;
    Ok(Some(sum))
}
