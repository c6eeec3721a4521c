//! `DynamicQuantizeLSTM`: long short-term memory with weights of bytes.

use stratal_tensor_base::DType;

use super::Recurrence;
use super::layer::{self, sum_of_biases};
use super::long_short_term::{ACTIVATIONS, LstmCell, check_cell, peepholes};
use super::matrix::Matrix;
use crate::{Cause, Context, Definition, Extent, Fact, Facts, Inputs, MICROSOFT, Operator, Outputs, SymbolicShape};

/// [`Lstm`](crate::Lstm) with weights of u8 or i8, `[directions, features, 4 * hidden]` and `[directions, hidden, 4 * hidden]`.
///
/// A byte stands for `scale * (byte - zero point)`, with one of each for a direction, or one for each of its columns. Inputs
/// are quantised to u8 before they are multiplied: all steps together, by their least and greatest element and zero; states
/// the same way, step by step, all of a batch together (ONNX Runtime may take the sequences of a batch apart). Products of
/// bytes are exact; everything else is computed in f32.
#[derive(Debug, Clone, Default)]
pub struct DynamicQuantizeLstm {
    /// Its settings, with activations as in [`Lstm`](crate::Lstm).
    pub recurrence: Recurrence,
    /// Whether `forget` is `1 - input`.
    pub input_forget: bool,
}

const BYTES: &[DType] = &[DType::U8, DType::I8];

/// The axis of the weights of states that has the extent of one.
const HIDDEN: usize = 1;

impl DynamicQuantizeLstm {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: MICROSOFT,
        name: "DynamicQuantizeLSTM",
        since: 1,
        inputs: 3..=12,
        outputs: 0..=3,
        attributes: &[
            "activation_alpha",
            "activation_beta",
            "activations",
            "clip",
            "direction",
            "hidden_size",
            "input_forget",
        ],
        dtypes: &[DType::F32],
        build: |node| {
            Ok(Box::new(Self {
                recurrence: Recurrence::of_node(node, 3)?,
                input_forget: node.int_or("input_forget", 0)? != 0,
            }))
        },
    };
}

impl Operator for DynamicQuantizeLstm {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, Self::DEFINITION.dtypes)?;
        [3, 5, 6, 7, 8, 10].into_iter().try_for_each(|input| inputs.check_dtype(input, dtype))?;
        let extents = self.recurrence.extents(inputs, HIDDEN)?;
        let columns = extents.hidden.multiply(&4.into())?;
        self.check_matrix(inputs, [1, 8, 9], &extents.features, &columns)?;
        self.check_matrix(inputs, [2, 10, 11], &extents.hidden, &columns)?;
        self.recurrence.check_bias(inputs, &extents, 4)?;
        check_cell(&self.recurrence, inputs, &extents)?;
        let state = self.recurrence.state(&extents);
        Ok(vec![
            Fact::new(dtype, self.recurrence.sequence(&extents)),
            Fact::new(dtype, state.clone()),
            Fact::new(dtype, state),
        ])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let recurrence = &self.recurrence;
        layer::run::<f32, _>(recurrence, HIDDEN, context, inputs, outputs, |direction| {
            let of_direction = |input| {
                let view = inputs.required(input)?;
                Ok::<_, Cause>(view.seen(|geometry| geometry.select(0, direction as i64))?)
            };
            let matrix = |weights, scales, zero_points| {
                Matrix::of_bytes(context, &of_direction(weights)?, &of_direction(scales)?, &of_direction(zero_points)?)
            };
            Ok(LstmCell {
                input: matrix(1, 8, 9)?,
                state: matrix(2, 10, 11)?,
                bias: sum_of_biases::<f32>(context, inputs.get(3), direction, |_| true)?,
                peepholes: peepholes::<f32>(context, inputs.get(7), direction)?,
                activations: recurrence.activations(direction, ACTIVATIONS),
                input_forget: self.input_forget,
            })
        })
    }
}

impl DynamicQuantizeLstm {
    /// Checks weights, their scales and their zero points.
    fn check_matrix(
        &self,
        inputs: &Facts<'_>,
        [weights, scales, zero_points]: [usize; 3],
        rows: &Extent,
        columns: &Extent,
    ) -> Result<(), Cause> {
        let directions = self.recurrence.directions();
        let dtype = inputs.dtype(weights, BYTES)?;
        inputs.check_shape(weights, &SymbolicShape::new([directions.clone(), rows.clone(), columns.clone()]))?;
        inputs.required(zero_points)?;
        inputs.check_dtype(zero_points, dtype)?;
        for input in [scales, zero_points] {
            let of_columns = inputs.shape(input)?.rank() != 1;
            let expected =
                if of_columns { vec![directions.clone(), columns.clone()] } else { vec![directions.clone()] };
            inputs.check_shape(input, &SymbolicShape::new(expected))?;
        }
        Ok(())
    }
}
