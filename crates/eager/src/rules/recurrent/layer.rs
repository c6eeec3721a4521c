//! The way along a sequence, by variables: what all recurrent layers are composed of.

use stratal_ops::{Direction, Recurrence};
use stratal_tensor::Tensor;
use stratal_tensor_base::{Bool, Shape};

use crate::composed::{given, integers, required, steps as each_step};
use crate::derivative::zeros;
use crate::{EagerError, Var};

/// One direction of a layer with `N` states, each `[batch, hidden]`, the first of which is shown.
pub(super) trait Cell<const N: usize> {
    /// What is added to what inputs bring to the gates, `[gates * hidden]`.
    fn bias(&self) -> Option<&Var>;

    /// The states behind a step, from what inputs bring to the gates, `[batch, gates * hidden]`, and the states before.
    fn step(&self, gates: &Var, states: &[Var; N]) -> Result<[Var; N], EagerError>;
}

/// The weights of one direction.
pub(super) struct Weights {
    /// `[gates * hidden, features]`.
    pub(super) input: Var,
    /// `[gates * hidden, hidden]`.
    pub(super) state: Var,
    /// Those of inputs and those of states, `[gates * hidden]`.
    pub(super) biases: Option<[Var; 2]>,
}

impl Weights {
    fn of(inputs: &[Option<Var>], direction: i64) -> Result<Self, EagerError> {
        let input = required(inputs, 1)?.select(0, direction)?;
        let state = required(inputs, 2)?.select(0, direction)?;
        let rows = state.extent(0)? as i64;
        let biases = given(inputs, 3).map(|biases| {
            let biases = biases.select(0, direction)?;
            Ok::<_, EagerError>([biases.narrow(0, 0, rows)?, biases.narrow(0, rows, rows)?])
        });
        Ok(Self { input, state, biases: biases.transpose()? })
    }

    /// What is added to gates, if all biases are added alike.
    pub(super) fn bias(&self) -> Result<Option<Var>, EagerError> {
        self.biases.as_ref().map(|[of_inputs, of_states]| of_inputs.add(of_states)).transpose()
    }
}

/// The extents of what a layer goes along.
#[derive(Clone, Copy)]
struct Extents {
    steps: i64,
    batch: i64,
    hidden: i64,
}

/// The outputs of a layer: the first state behind all steps, and all states behind the last one.
///
/// Inputs are those of ONNX: sequences, weights of inputs and of states, biases, lengths, and what each state is at first.
pub(super) fn compose<C: Cell<N>, const N: usize>(
    recurrence: &Recurrence,
    inputs: &[Option<Var>],
    cell: impl Fn(usize, &Weights) -> Result<C, EagerError>,
) -> Result<Vec<Var>, EagerError> {
    let x = required(inputs, 0)?;
    let x = if recurrence.is_batch_first { x.transpose(0, 1)? } else { x.clone() };
    let extents = Extents {
        steps: x.extent(0)? as i64,
        batch: x.extent(1)? as i64,
        hidden: required(inputs, 2)?.extent(2)? as i64,
    };
    let Extents { steps, batch, hidden } = extents;
    let masks = masks(given(inputs, 4), extents)?;
    let x = without_padding(&x, &masks)?.reshape(&[steps * batch, x.extent(2)? as i64])?;
    let axis_of_states = if recurrence.is_batch_first { 1 } else { 0 };

    let mut sequences = Vec::new();
    let mut last: [Vec<Var>; N] = std::array::from_fn(|_| Vec::new());
    for direction in 0..recurrence.direction.count() {
        let weights = Weights::of(inputs, direction as i64)?;
        let cell = cell(direction, &weights)?;
        let mut gates = x.matmul(&weights.input.t()?)?;
        if let Some(bias) = cell.bias() {
            gates = gates.add(bias)?;
        }
        let gates = each_step(&gates, 0, steps)?;

        let zero = zeros(&Shape::new(&[batch, hidden])?, x.dtype())?;
        let mut states: [Var; N] = std::array::from_fn(|_| zero.clone());
        for (state, first) in states.iter_mut().zip(5..) {
            if let Some(first) = given(inputs, first) {
                *state = first.select(axis_of_states, direction as i64)?;
            }
        }
        let mut shown = Vec::new();
        let mut step = |time: usize| {
            let new = cell.step(&gates[time], &states)?;
            shown.push(match &masks[time] {
                Some(mask) => mask.select_by(&new[0], &zero)?,
                None => new[0].clone(),
            });
            states = match &masks[time] {
                Some(mask) => chosen(mask, new, &states)?,
                None => new,
            };
            Ok::<_, EagerError>(())
        };
        if is_reverse(recurrence.direction, direction) {
            (0..gates.len()).rev().try_for_each(&mut step)?;
            shown.reverse();
        } else {
            (0..gates.len()).try_for_each(&mut step)?;
        }
        sequences.push(joined(&shown, extents, &zero)?);
        for (last, state) in last.iter_mut().zip(&states) {
            last.push(state.unsqueeze(axis_of_states)?);
        }
    }
    let sequence = concat(&sequences, 1)?;
    let sequence = if recurrence.is_batch_first { sequence.permute(&[2, 0, 1, 3])? } else { sequence };
    let last = last.iter().map(|last| concat(last, axis_of_states));
    std::iter::once(Ok(sequence)).chain(last).collect()
}

/// Which sequences have a step, `[batch, 1]`, for each step that not all of them have.
fn masks(lengths: Option<&Var>, extents: Extents) -> Result<Vec<Option<Var>>, EagerError> {
    let lengths = lengths.map(integers).transpose()?.unwrap_or_default();
    let mask = |time: i64| {
        if lengths.iter().all(|&length| time < length) {
            return Ok(None);
        }
        let is_there: Vec<Bool> = lengths.iter().map(|&length| Bool::from(time < length)).collect();
        Ok(Some(Tensor::from_vec(is_there, &[extents.batch, 1])?.into()))
    };
    (0..extents.steps).map(mask).collect()
}

/// The sequences with zeros behind their ends: whatever is there must not reach the weights' gradients, be it multiplied by zero.
fn without_padding(x: &Var, masks: &[Option<Var>]) -> Result<Var, EagerError> {
    let Some(batch) = masks.iter().flatten().next().map(|mask| mask.shape().extents()[0].into()) else {
        return Ok(x.clone());
    };
    let all = Var::full(&[1, batch, 1], true, stratal_tensor_base::DType::Bool)?;
    let of_step = |mask: &Option<Var>| mask.as_ref().map_or(Ok(all.clone()), |mask| mask.unsqueeze(0));
    let masks = masks.iter().map(of_step).collect::<Result<Vec<_>, _>>()?;
    concat(&masks, 0)?.select_by(x, &x.number(0.0)?)
}

/// New states where there is a step, old ones elsewhere.
fn chosen<const N: usize>(mask: &Var, mut new: [Var; N], old: &[Var; N]) -> Result<[Var; N], EagerError> {
    for (new, old) in new.iter_mut().zip(old) {
        *new = mask.select_by(new, old)?;
    }
    Ok(new)
}

/// States `[batch, hidden]` of all steps as `[steps, 1, batch, hidden]`.
fn joined(states: &[Var], Extents { steps, batch, hidden }: Extents, none: &Var) -> Result<Var, EagerError> {
    let all = if states.is_empty() { none.narrow(0, 0, 0)? } else { concat(states, 0)? };
    all.reshape(&[steps, 1, batch, hidden])
}

fn concat(parts: &[Var], axis: i64) -> Result<Var, EagerError> {
    match parts {
        [only] => Ok(only.clone()),
        _ => Var::concat(&parts.iter().collect::<Vec<_>>(), axis),
    }
}

fn is_reverse(direction: Direction, index: usize) -> bool {
    matches!((direction, index), (Direction::Reverse, _) | (Direction::Bidirectional, 1))
}
