//! The step of long short-term memory, whatever its weights are.

use stratal_kernels::{AnyView, AnyViewMut};
use stratal_tensor::Tensor;
use stratal_tensor_base::Shape;

use super::layer::{Cell, Real, States, Step, slice};
use super::matrix::Matrix;
use super::recurrence::LayerExtents;
use super::{Activation, Recurrence};
use crate::operands::{held, unfit};
use crate::{Cause, Context, Facts, SymbolicShape};

/// The activations for gates, the new cell and the state.
pub(super) const ACTIVATIONS: [Activation; 3] = [Activation::Sigmoid, Activation::Tanh, Activation::Tanh];

/// A direction of long short-term memory. Gates are input, output, forget and new cell.
pub(super) struct LstmCell {
    pub(super) input: Matrix,
    pub(super) state: Matrix,
    pub(super) bias: Option<Tensor>,
    /// What the cell brings to the gates: input, output, forget.
    pub(super) peepholes: Option<Tensor>,
    pub(super) activations: [Activation; 3],
    /// Whether what is forgotten is what is let in.
    pub(super) input_forget: bool,
}

/// The peepholes of a direction.
pub(super) fn peepholes<T: Real>(
    context: &Context<'_>,
    peepholes: Option<&AnyView<'_>>,
    direction: usize,
) -> Result<Option<Tensor>, Cause> {
    let Some(peepholes) = peepholes else { return Ok(None) };
    let peepholes = peepholes.seen(|geometry| geometry.select(0, direction as i64))?;
    Ok(Some(context.converted(&peepholes, T::DTYPE)?))
}

/// Checks the first cell and peepholes.
pub(super) fn check_cell(recurrence: &Recurrence, inputs: &Facts<'_>, extents: &LayerExtents) -> Result<(), Cause> {
    inputs.check_shape(6, &recurrence.state(extents))?;
    let peepholes = extents.hidden.multiply(&3.into())?;
    inputs.check_shape(7, &SymbolicShape::new([recurrence.directions(), peepholes]))
}

impl<T: Real> Cell<T> for LstmCell {
    const GATES: usize = 4;

    fn input(&self) -> &Matrix {
        &self.input
    }

    fn bias(&self) -> Option<&Tensor> {
        self.bias.as_ref()
    }

    fn step(&self, step: &Step<'_>, gates: &mut AnyViewMut<'_>, states: &mut States<'_>) -> Result<(), Cause> {
        let (mut hidden, mut cell) = (states.hidden.view()?, states.cell.view()?);
        let &[batch, size] = hidden.shape().extents() else { return Err(unfit(hidden.dtype(), hidden.shape())) };
        let size = size as usize;
        self.state.add(step.context, &hidden.as_view(), gates)?;
        let mut holes = self.peepholes.as_ref().map(held).transpose()?;
        let mut holes = holes.as_mut().map(|holes| holes.view()).transpose()?;
        let holes = holes.as_mut().map(|holes| slice::<T>(holes)).transpose()?;
        let holes = holes.map(|holes| [&holes[..size], &holes[size..2 * size], &holes[2 * size..]]);
        let [gate, new, shown] = self.activations;

        if let Some([input, _, forget]) = holes {
            let rows = slice::<T>(gates)?.chunks_exact_mut(4 * size).zip(slice::<T>(&mut cell)?.chunks_exact(size));
            for (gates, cell) in rows {
                look(&mut gates[..size], input, cell);
                look(&mut gates[2 * size..3 * size], forget, cell);
            }
        }
        let mut activate = |activation: Activation, first: usize, count: usize| {
            let mut part = gates
                .seen(|geometry| Ok::<_, Cause>(geometry.narrow(1, (first * size) as i64, (count * size) as i64)?))?;
            step.activate(activation, &mut part)
        };
        if holes.is_none() {
            activate(gate, 0, 3)?;
        } else {
            activate(gate, 0, 1)?;
            activate(gate, 2, 1)?;
        }
        activate(new, 3, 1)?;

        let rows = slice::<T>(gates)?.chunks_exact(4 * size).zip(slice::<T>(&mut cell)?.chunks_exact_mut(size));
        for (_, (gates, cell)) in rows.enumerate().filter(|(batch, _)| step.is_in(*batch)) {
            for (column, cell) in cell.iter_mut().enumerate() {
                let input = gates[column];
                let forget = if self.input_forget { T::ONE - input } else { gates[2 * size + column] };
                *cell = forget * *cell + input * gates[3 * size + column];
            }
        }

        // The gate of the output looks at the new cell.
        if let Some([_, output, _]) = holes {
            let rows = slice::<T>(gates)?.chunks_exact_mut(4 * size).zip(slice::<T>(&mut cell)?.chunks_exact(size));
            rows.for_each(|(gates, cell)| look(&mut gates[size..2 * size], output, cell));
            let mut part = gates.seen(|geometry| Ok::<_, Cause>(geometry.narrow(1, size as i64, size as i64)?))?;
            step.activate(gate, &mut part)?;
        }
        let seen = step.context.scratch(T::DTYPE, &Shape::new(&[batch.into(), size as i64])?)?;
        let mut seen = held(&seen)?;
        let mut seen = seen.view()?;
        step.context.kernels().copy(&cell.as_view(), &mut seen)?;
        step.activate(shown, &mut seen)?;
        let rows = slice::<T>(gates)?.chunks_exact(4 * size).zip(slice::<T>(&mut seen)?.chunks_exact(size));
        for (batch, (hidden, (gates, seen))) in slice::<T>(&mut hidden)?.chunks_exact_mut(size).zip(rows).enumerate() {
            if step.is_in(batch) {
                for ((hidden, &output), &seen) in hidden.iter_mut().zip(&gates[size..2 * size]).zip(seen) {
                    *hidden = output * seen;
                }
            }
        }
        Ok(())
    }
}

/// Adds what the cell brings to a gate.
fn look<T: Real>(gate: &mut [T], weights: &[T], cell: &[T]) {
    for ((gate, &weight), &cell) in gate.iter_mut().zip(weights).zip(cell) {
        *gate = *gate + weight * cell;
    }
}
