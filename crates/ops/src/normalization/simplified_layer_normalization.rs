//! `SimplifiedLayerNormalization`: ONNX Runtime's name for `RMSNormalization`.

use stratal_kernels::Centre;
use stratal_tensor_base::DType;

use super::last_axes::{LastAxes, StatisticOutputs};
use super::precision::stash_dtype;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, dtypes};

/// What [`RMSNormalization`](crate::RMSNormalization) is, with `1 / sqrt(mean(x^2) + epsilon)` of each row as a second output.
///
/// ONNX Runtime has it in the domain of ONNX itself.
#[derive(Debug, Clone, Copy)]
pub struct SimplifiedLayerNormalization {
    /// The first axis of a row; it may count from the end.
    pub axis: i64,
    /// What is added to the mean square.
    pub epsilon: f32,
    /// The dtype of the second output. F64 means that all is computed in f64.
    pub stash_dtype: DType,
}

impl SimplifiedLayerNormalization {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "SimplifiedLayerNormalization",
        since: 1,
        inputs: 2..=2,
        outputs: 1..=2,
        attributes: &["axis", "epsilon", "stash_type"],
        dtypes: dtypes::FLOATS,
        build: |node| {
            let (axis, epsilon) = (node.int_or("axis", -1)?, node.float_or("epsilon", 1e-5)?);
            Ok(Box::new(Self { axis, epsilon, stash_dtype: stash_dtype(node)? }))
        },
    };

    const fn last_axes(&self) -> LastAxes {
        let Self { axis, epsilon, stash_dtype } = *self;
        LastAxes { centre: Centre::Zero, axis, epsilon, stash_dtype }
    }
}

impl Operator for SimplifiedLayerNormalization {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let last_axes = self.last_axes();
        let (shape, statistics) = last_axes.shapes(inputs)?;
        Ok(vec![Fact::new(inputs.dtype(1, dtypes::FLOATS)?, shape), last_axes.statistic(statistics)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let operands = [inputs.get(0), inputs.get(1), None];
        let statistics = StatisticOutputs { mean: None, inverse_deviation: Some(1) };
        self.last_axes().compute(context, operands, outputs, statistics)
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;

    use super::*;

    #[test]
    fn rows_and_their_inverse_roots() {
        let x = Tensor::from_slice(&[2.0_f32, -2.0, 0.5, 0.5], &[2, 2]).unwrap();
        let scale = Tensor::from_slice(&[1.0_f32, 10.0], &[2]).unwrap();
        let operator = SimplifiedLayerNormalization { axis: -1, epsilon: 0.0, stash_dtype: DType::F32 };
        let results = Context::new().unwrap().run(&operator, &[Some(&x), Some(&scale)]).unwrap();
        assert_eq!(results[0].to_vec::<f32>().unwrap(), [1.0, -10.0, 1.0, 10.0]);
        assert_eq!(results[1].shape().extents(), [2, 1]);
        assert_eq!(results[1].to_vec::<f32>().unwrap(), [0.5, 2.0]);
    }
}
