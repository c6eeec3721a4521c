//! `RandomNormalLike`: numbers from a normal distribution, in the shape of an operand.

use stratal_tensor_base::DType;

use super::random::{fact_like, float_dtype, seed, write_normal};
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, dtypes};

/// Numbers from a normal distribution, as of [`RandomNormal`](crate::RandomNormal), in the shape of an operand.
#[derive(Debug, Clone, Copy)]
pub struct RandomNormalLike {
    /// The dtype, one of floats; that of the operand if there is none.
    pub dtype: Option<DType>,
    /// The mean.
    pub mean: f32,
    /// The standard deviation: `scale` in ONNX.
    pub deviation: f32,
    /// What the generator starts from. Without one each use takes another one from the context.
    pub seed: Option<u64>,
}

impl RandomNormalLike {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "RandomNormalLike",
        since: 22,
        inputs: 1..=1,
        outputs: 1..=1,
        attributes: &["dtype", "mean", "scale", "seed"],
        dtypes: dtypes::ALL,
        build: |node| {
            Ok(Box::new(Self {
                dtype: float_dtype(node)?,
                mean: node.float_or("mean", 0.0)?,
                deviation: node.float_or("scale", 1.0)?,
                seed: seed(node)?,
            }))
        },
    };
}

impl Operator for RandomNormalLike {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        Ok(vec![fact_like(inputs, self.dtype)?])
    }

    fn compute(&self, context: &Context<'_>, _inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        outputs.write(0, |result| write_normal(context, self.mean.into(), self.deviation.into(), self.seed, result))
    }
}
