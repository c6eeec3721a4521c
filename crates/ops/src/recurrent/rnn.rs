//! `RNN`: a recurrent layer of one gate.

use stratal_kernels::AnyViewMut;
use stratal_tensor::Tensor;
use stratal_tensor_base::DType;

use super::layer::{self, Cell, Real, States, Step, slice, sum_of_biases};
use super::matrix::Matrix;
use super::{Activation, Recurrence};
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, dtypes};

/// `state = f(x * W^T + state * R^T + bias)`, step by step; `f` is the hyperbolic tangent if nothing is said.
///
/// Sequences have shape `[steps, batch, features]`, weights `[directions, hidden, features]` and `[directions, hidden, hidden]`,
/// states `[directions, batch, hidden]`. The outputs are the states behind all steps, `[steps, directions, batch, hidden]`, and
/// the last state. Sequences may be shorter than the others: then their state stays where they end, and the first output is
/// zero there. One without any step keeps its first state, where ONNX Runtime gives zeros.
#[derive(Debug, Clone, Default)]
pub struct Rnn {
    /// Its settings, with one activation for each direction.
    pub recurrence: Recurrence,
}

impl Rnn {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "RNN",
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
        ],
        dtypes: dtypes::FLOATS,
        build: |node| Ok(Box::new(Self { recurrence: Recurrence::of_node(node, 1)? })),
    };

    fn run<T: Real>(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let recurrence = &self.recurrence;
        layer::run::<T, _>(recurrence, 2, context, inputs, outputs, |direction| {
            let matrix = |input| {
                let weights = inputs.required(input)?.seen(|geometry| geometry.select(0, direction as i64))?;
                Matrix::of_rows(context, &weights, T::DTYPE)
            };
            Ok(RnnCell {
                input: matrix(1)?,
                state: matrix(2)?,
                bias: sum_of_biases::<T>(context, inputs.get(3), direction, |_| true)?,
                activation: recurrence.activations(direction, [Activation::Tanh])[0],
            })
        })
    }
}

impl Operator for Rnn {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let extents = self.recurrence.extents(inputs, 2)?;
        let dtype = self.recurrence.check_weights(inputs, &extents, 1)?;
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

struct RnnCell {
    input: Matrix,
    state: Matrix,
    bias: Option<Tensor>,
    activation: Activation,
}

impl<T: Real> Cell<T> for RnnCell {
    const GATES: usize = 1;

    fn input(&self) -> &Matrix {
        &self.input
    }

    fn bias(&self) -> Option<&Tensor> {
        self.bias.as_ref()
    }

    fn step(&self, step: &Step<'_>, gates: &mut AnyViewMut<'_>, states: &mut States<'_>) -> Result<(), Cause> {
        let mut hidden = states.hidden.view()?;
        self.state.add(step.context, &hidden.as_view(), gates)?;
        step.activate(self.activation, gates)?;
        let size = hidden.shape().extent(1);
        let rows = slice::<T>(gates)?.chunks_exact(size).zip(slice::<T>(&mut hidden)?.chunks_exact_mut(size));
        for (_, (new, hidden)) in rows.enumerate().filter(|(batch, _)| step.is_in(*batch)) {
            hidden.copy_from_slice(new);
        }
        Ok(())
    }
}
