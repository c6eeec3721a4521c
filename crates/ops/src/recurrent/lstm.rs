//! `LSTM`: a recurrent layer with a cell beside its state.

use stratal_tensor_base::DType;

use super::Recurrence;
use super::layer::{self, Real, sum_of_biases};
use super::long_short_term::{ACTIVATIONS, LstmCell, check_cell, peepholes};
use super::matrix::Matrix;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, dtypes};

/// Long short-term memory: `cell = forget * cell + input * new`, `state = output * h(cell)`, step by step.
///
/// The gates `input`, `forget` and `output` are `f(x * W^T + state * R^T + peephole * cell + bias)`, where the output's looks at
/// the cell that is new; `new` is `g(x * W^T + state * R^T + bias)`. By themselves `f` is the sigmoid, `g` and `h` are the
/// hyperbolic tangent. Weights hold the rows of input, output, forget and new, peepholes those of the first three. A limit
/// holds for what all activations are given, as ONNX says, so for the cell too; ONNX Runtime leaves that one out. Shapes and
/// sequences are as in [`Rnn`](crate::Rnn); the third output is the last cell.
#[derive(Debug, Clone, Default)]
pub struct Lstm {
    /// Its settings, with activations `f`, `g` and `h` for each direction.
    pub recurrence: Recurrence,
    /// Whether `forget` is `1 - input`.
    pub input_forget: bool,
}

impl Lstm {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "LSTM",
        since: 22,
        inputs: 3..=8,
        outputs: 0..=3,
        attributes: &[
            "activation_alpha",
            "activation_beta",
            "activations",
            "clip",
            "direction",
            "hidden_size",
            "input_forget",
            "layout",
        ],
        dtypes: dtypes::FLOATS,
        build: |node| {
            Ok(Box::new(Self {
                recurrence: Recurrence::of_node(node, 3)?,
                input_forget: node.int_or("input_forget", 0)? != 0,
            }))
        },
    };

    fn run<T: Real>(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let recurrence = &self.recurrence;
        layer::run::<T, _>(recurrence, 2, context, inputs, outputs, |direction| {
            let matrix = |input| {
                let weights = inputs.required(input)?.seen(|geometry| geometry.select(0, direction as i64))?;
                Matrix::of_rows(context, &weights, T::DTYPE)
            };
            Ok(LstmCell {
                input: matrix(1)?,
                state: matrix(2)?,
                bias: sum_of_biases::<T>(context, inputs.get(3), direction, |_| true)?,
                peepholes: peepholes::<T>(context, inputs.get(7), direction)?,
                activations: recurrence.activations(direction, ACTIVATIONS),
                input_forget: self.input_forget,
            })
        })
    }
}

impl Operator for Lstm {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let extents = self.recurrence.extents(inputs, 2)?;
        let dtype = self.recurrence.check_weights(inputs, &extents, 4)?;
        inputs.check_dtype(6, dtype)?;
        inputs.check_dtype(7, dtype)?;
        check_cell(&self.recurrence, inputs, &extents)?;
        let state = self.recurrence.state(&extents);
        Ok(vec![
            Fact::new(dtype, self.recurrence.sequence(&extents)),
            Fact::new(dtype, state.clone()),
            Fact::new(dtype, state),
        ])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        match inputs.required(0)?.dtype() {
            DType::F64 => self.run::<f64>(context, inputs, outputs),
            _ => self.run::<f32>(context, inputs, outputs),
        }
    }
}
