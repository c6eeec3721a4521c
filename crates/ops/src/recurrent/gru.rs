//! `GRU`: a recurrent layer with gates for update and reset.

use stratal_kernels::AnyViewMut;
use stratal_tensor::Tensor;
use stratal_tensor_base::{DType, Shape};

use super::layer::{self, Cell, Real, States, Step, slice, sum_of_biases};
use super::matrix::Matrix;
use super::{Activation, Recurrence};
use crate::operands::{held, unfit, zeros};
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, dtypes};

/// Gated recurrent units: `state = (1 - z) * h + z * state`, step by step.
///
/// The update `z` and the reset `r` are `f(x * W^T + state * R^T + bias)`, the new state `h` is
/// `g(x * W^T + (r * state) * R^T + biases)`, or with `linear_before_reset` `g(x * W^T + r * (state * R^T + bias) + bias)`.
/// By themselves `f` is the sigmoid and `g` the hyperbolic tangent. Weights hold the rows of `z`, `r` and `h`; shapes and
/// sequences are as in [`Rnn`](crate::Rnn).
#[derive(Debug, Clone, Default)]
pub struct Gru {
    /// Its settings, with activations `f` and `g` for each direction.
    pub recurrence: Recurrence,
    /// Whether the state is multiplied by the weights before it is reset.
    pub linear_before_reset: bool,
}

impl Gru {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "GRU",
        since: 22,
        inputs: 3..=6,
        outputs: 0..=2,
        attributes: &[
            "activation_alpha",
            "activation_beta",
            "activations",
            "clip",
            "direction",
            "hidden_size",
            "layout",
            "linear_before_reset",
        ],
        dtypes: dtypes::FLOATS,
        build: |node| {
            Ok(Box::new(Self {
                recurrence: Recurrence::of_node(node, 2)?,
                linear_before_reset: node.int_or("linear_before_reset", 0)? != 0,
            }))
        },
    };

    fn run<T: Real>(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let recurrence = &self.recurrence;
        layer::run::<T, _>(recurrence, 2, context, inputs, outputs, |direction| {
            let states = inputs.required(2)?;
            let states = states.seen(|geometry| geometry.select(0, direction as i64))?;
            let hidden = i64::from(states.shape().extents()[1]);
            let rows = |first: i64, count: i64| {
                let rows = states.seen(|geometry| geometry.narrow(0, first * hidden, count * hidden))?;
                Matrix::of_rows(context, &rows, T::DTYPE)
            };
            let input = inputs.required(1)?.seen(|geometry| geometry.select(0, direction as i64))?;
            let bias_of_new = match inputs.get(3) {
                Some(biases) if self.linear_before_reset => {
                    let biases = biases.seen(|geometry| {
                        Ok::<_, Cause>(geometry.select(0, direction as i64)?.narrow(0, 5 * hidden, hidden)?)
                    })?;
                    Some(context.converted(&biases, T::DTYPE)?)
                }
                _ => None,
            };
            // The bias of the state is reset with it.
            let is_summed = |row: usize| !self.linear_before_reset || row < 2 * hidden as usize;
            Ok(GruCell {
                input: Matrix::of_rows(context, &input, T::DTYPE)?,
                gates: rows(0, 2)?,
                new: rows(2, 1)?,
                bias: sum_of_biases::<T>(context, inputs.get(3), direction, is_summed)?,
                linear_before_reset: self.linear_before_reset,
                bias_of_new,
                activations: recurrence.activations(direction, [Activation::Sigmoid, Activation::Tanh]),
            })
        })
    }
}

impl Operator for Gru {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let extents = self.recurrence.extents(inputs, 2)?;
        let dtype = self.recurrence.check_weights(inputs, &extents, 3)?;
        Ok(vec![
            Fact::new(dtype, self.recurrence.sequence(&extents)),
            Fact::new(dtype, self.recurrence.state(&extents)),
        ])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        match inputs.required(0)?.dtype() {
            DType::F64 => self.run::<f64>(context, inputs, outputs),
            _ => self.run::<f32>(context, inputs, outputs),
        }
    }
}

struct GruCell {
    input: Matrix,
    /// The weights of the state for update and reset.
    gates: Matrix,
    /// Those for the new state.
    new: Matrix,
    bias: Option<Tensor>,
    linear_before_reset: bool,
    /// The bias of the state that is reset with it.
    bias_of_new: Option<Tensor>,
    activations: [Activation; 2],
}

impl<T: Real> Cell<T> for GruCell {
    const GATES: usize = 3;

    fn input(&self) -> &Matrix {
        &self.input
    }

    fn bias(&self) -> Option<&Tensor> {
        self.bias.as_ref()
    }

    fn step(&self, step: &Step<'_>, gates: &mut AnyViewMut<'_>, states: &mut States<'_>) -> Result<(), Cause> {
        let context = step.context;
        let mut hidden = states.hidden.view()?;
        let &[batch, size] = hidden.shape().extents() else { return Err(unfit(hidden.dtype(), hidden.shape())) };
        let (batch, size) = (batch as usize, size as usize);
        let room = |columns: usize| zeros(context, T::DTYPE, &Shape::new(&[batch as i64, columns as i64])?);

        // Update and reset.
        let update_and_reset = room(2 * size)?;
        let mut update_and_reset = held(&update_and_reset)?;
        let mut update_and_reset = update_and_reset.view()?;
        let gates = slice::<T>(gates)?;
        for (to, gates) in
            slice::<T>(&mut update_and_reset)?.chunks_exact_mut(2 * size).zip(gates.chunks_exact(3 * size))
        {
            to.copy_from_slice(&gates[..2 * size]);
        }
        self.gates.add(context, &hidden.as_view(), &mut update_and_reset)?;
        step.activate(self.activations[0], &mut update_and_reset)?;
        let update_and_reset = slice::<T>(&mut update_and_reset)?;

        // The new state.
        let new = room(size)?;
        let mut new = held(&new)?;
        let mut new = new.view()?;
        let resets = update_and_reset.chunks_exact(2 * size).map(|row| &row[size..]);
        let inputs = gates.chunks_exact(3 * size).map(|row| &row[2 * size..]);
        if self.linear_before_reset {
            if let Some(bias) = &self.bias_of_new {
                let shape = *new.shape();
                let bias = crate::read(bias)?;
                let bias = bias.view()?.seen(|geometry| Ok::<_, Cause>(geometry.broadcast_to(&shape)?))?;
                context.kernels().copy(&bias, &mut new)?;
            }
            self.new.add(context, &hidden.as_view(), &mut new)?;
            for ((new, resets), inputs) in slice::<T>(&mut new)?.chunks_exact_mut(size).zip(resets).zip(inputs) {
                for ((new, &reset), &input) in new.iter_mut().zip(resets).zip(inputs) {
                    *new = input + reset * *new;
                }
            }
        } else {
            let kept = room(size)?;
            let mut kept = held(&kept)?;
            let mut kept = kept.view()?;
            let states = slice::<T>(&mut hidden)?.chunks_exact(size);
            for ((kept, resets), states) in slice::<T>(&mut kept)?.chunks_exact_mut(size).zip(resets).zip(states) {
                for ((kept, &reset), &state) in kept.iter_mut().zip(resets).zip(states) {
                    *kept = reset * state;
                }
            }
            for (new, inputs) in slice::<T>(&mut new)?.chunks_exact_mut(size).zip(inputs) {
                new.copy_from_slice(inputs);
            }
            self.new.add(context, &kept.as_view(), &mut new)?;
        }
        step.activate(self.activations[1], &mut new)?;

        let rows = slice::<T>(&mut new)?.chunks_exact(size).zip(update_and_reset.chunks_exact(2 * size));
        for (batch, (hidden, (new, gates))) in slice::<T>(&mut hidden)?.chunks_exact_mut(size).zip(rows).enumerate() {
            if step.is_in(batch) {
                for ((hidden, &new), &update) in hidden.iter_mut().zip(new).zip(gates) {
                    *hidden = (T::ONE - update) * new + update * *hidden;
                }
            }
        }
        Ok(())
    }
}
