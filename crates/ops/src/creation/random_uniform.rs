//! `RandomUniform`: numbers from the uniform distribution.

use stratal_tensor_base::DType;

use super::random::{fact_of_shape, float_dtype, seed, shape, write_uniform};
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, dtypes};

/// Numbers from the uniform distribution: those of [`fill_uniform`](stratal_tensor::Tensor::fill_uniform).
#[derive(Debug, Clone)]
pub struct RandomUniform {
    /// The extents.
    pub shape: Vec<i64>,
    /// The dtype, one of floats.
    pub dtype: DType,
    /// The least number.
    pub low: f32,
    /// What all numbers are below, before they are rounded to the dtype.
    pub high: f32,
    /// What the generator starts from. Without one each use takes another one from the context. ONNX's attribute is a float:
    /// a whole one is the seed, any other one seeds by its bits.
    pub seed: Option<u64>,
}

impl RandomUniform {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "RandomUniform",
        since: 22,
        inputs: 0..=0,
        outputs: 1..=1,
        attributes: &["dtype", "high", "low", "seed", "shape"],
        dtypes: dtypes::FLOATS,
        build: |node| {
            Ok(Box::new(Self {
                shape: shape(node)?,
                dtype: float_dtype(node)?.unwrap_or(DType::F32),
                low: node.float_or("low", 0.0)?,
                high: node.float_or("high", 1.0)?,
                seed: seed(node)?,
            }))
        },
    };
}

impl Operator for RandomUniform {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, _inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        Ok(vec![fact_of_shape(self.dtype, &self.shape)])
    }

    fn compute(&self, context: &Context<'_>, _inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        outputs.write(0, |result| write_uniform(context, self.low.into()..self.high.into(), self.seed, result))
    }
}
