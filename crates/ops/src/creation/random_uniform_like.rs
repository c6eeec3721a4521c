//! `RandomUniformLike`: numbers from the uniform distribution, in the shape of an operand.

use stratal_tensor_base::DType;

use super::random::{fact_like, float_dtype, seed, write_uniform};
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, dtypes};

/// Numbers from the uniform distribution, as of [`RandomUniform`](crate::RandomUniform), in the shape of an operand.
#[derive(Debug, Clone, Copy)]
pub struct RandomUniformLike {
    /// The dtype, one of floats; that of the operand if there is none.
    pub dtype: Option<DType>,
    /// The least number.
    pub low: f32,
    /// What all numbers are below, before they are rounded to the dtype.
    pub high: f32,
    /// What the generator starts from. Without one each use takes another one from the context.
    pub seed: Option<u64>,
}

impl RandomUniformLike {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "RandomUniformLike",
        since: 22,
        inputs: 1..=1,
        outputs: 1..=1,
        attributes: &["dtype", "high", "low", "seed"],
        dtypes: dtypes::ALL,
        build: |node| {
            Ok(Box::new(Self {
                dtype: float_dtype(node)?,
                low: node.float_or("low", 0.0)?,
                high: node.float_or("high", 1.0)?,
                seed: seed(node)?,
            }))
        },
    };
}

impl Operator for RandomUniformLike {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        Ok(vec![fact_like(inputs, self.dtype)?])
    }

    fn compute(&self, context: &Context<'_>, _inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        outputs.write(0, |result| write_uniform(context, self.low.into()..self.high.into(), self.seed, result))
    }
}
