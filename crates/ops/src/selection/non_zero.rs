//! `NonZero`: where the elements are that are not zero.

use stratal_tensor_base::{DType, Shape};

use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, SymbolicShape, dtypes};

/// The indices of the elements that are not zero, in row-major order: a row for each axis, a column for each element.
///
/// NaN is not zero, a negative zero is. A scalar has no axis, so the result has no rows.
#[derive(Debug, Clone, Copy, Default)]
pub struct NonZero;

impl NonZero {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "NonZero",
        since: 13,
        inputs: 1..=1,
        outputs: 1..=1,
        attributes: &[],
        dtypes: dtypes::ALL,
        build: |_| Ok(Box::new(Self)),
    };
}

impl Operator for NonZero {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let rank = inputs.shape(0)?.rank() as i64;
        Ok(vec![Fact::new(DType::I64, SymbolicShape::new([rank.into(), inputs.unknown("count")]))])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        let count = context.kernels().count_non_zero(x);
        let shape = Shape::new(&[x.shape().rank() as i64, count as i64])?;
        outputs.write_shaped(0, &shape, |result| context.kernels().non_zero(x, result))
    }
}
