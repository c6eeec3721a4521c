//! `RandomNormal`: numbers from a normal distribution.

use stratal_tensor_base::DType;

use super::random::{fact_of_shape, float_dtype, seed, shape, write_normal};
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, dtypes};

/// Numbers from a normal distribution: those of [`fill_normal`](stratal_tensor::Tensor::fill_normal).
#[derive(Debug, Clone)]
pub struct RandomNormal {
    /// The extents.
    pub shape: Vec<i64>,
    /// The dtype, one of floats.
    pub dtype: DType,
    /// The mean.
    pub mean: f32,
    /// The standard deviation: `scale` in ONNX.
    pub deviation: f32,
    /// What the generator starts from. Without one each use takes another one from the context. ONNX's attribute is a float:
    /// a whole one is the seed, any other one seeds by its bits.
    pub seed: Option<u64>,
}

impl RandomNormal {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "RandomNormal",
        since: 22,
        inputs: 0..=0,
        outputs: 1..=1,
        attributes: &["dtype", "mean", "scale", "seed", "shape"],
        dtypes: dtypes::FLOATS,
        build: |node| {
            Ok(Box::new(Self {
                shape: shape(node)?,
                dtype: float_dtype(node)?.unwrap_or(DType::F32),
                mean: node.float_or("mean", 0.0)?,
                deviation: node.float_or("scale", 1.0)?,
                seed: seed(node)?,
            }))
        },
    };
}

impl Operator for RandomNormal {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, _inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        Ok(vec![fact_of_shape(self.dtype, &self.shape)])
    }

    fn compute(&self, context: &Context<'_>, _inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        outputs.write(0, |result| write_normal(context, self.mean.into(), self.deviation.into(), self.seed, result))
    }
}
