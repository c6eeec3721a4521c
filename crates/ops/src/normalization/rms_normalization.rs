//! `RMSNormalization`: the last axes scaled to a mean square of 1.

use stratal_kernels::Centre;
use stratal_tensor_base::DType;

use super::last_axes::{LastAxes, StatisticOutputs};
use super::precision::stash_dtype;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, dtypes};

/// `x / sqrt(mean(x^2) + epsilon) * scale`, with the mean along an axis and all behind it. The scale broadcasts to `x`, and the
/// result has its dtype.
///
/// Floats of 16 bits compute in f32 and are rounded once, operands of two dtypes in f32, or in f64 if one of them is.
#[derive(Debug, Clone, Copy)]
pub struct RMSNormalization {
    /// The first axis of a row; it may count from the end.
    pub axis: i64,
    /// What is added to the mean square.
    pub epsilon: f32,
    /// The dtype to normalise in: f64 makes a difference.
    pub stash_dtype: DType,
}

impl RMSNormalization {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "RMSNormalization",
        since: 23,
        inputs: 2..=2,
        outputs: 1..=1,
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

impl Default for RMSNormalization {
    /// The attributes that a node has if it says nothing.
    fn default() -> Self {
        Self { axis: -1, epsilon: 1e-5, stash_dtype: DType::F32 }
    }
}

impl Operator for RMSNormalization {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let (shape, _) = self.last_axes().shapes(inputs)?;
        Ok(vec![Fact::new(inputs.dtype(1, dtypes::FLOATS)?, shape)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let operands = [inputs.get(0), inputs.get(1), None];
        self.last_axes().compute(context, operands, outputs, StatisticOutputs::default())
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::f16;

    use super::*;
    use crate::infer;

    #[test]
    fn the_result_has_the_dtype_of_the_scale() {
        let x = Tensor::from_slice(&[f16::from_f32(3.0), f16::from_f32(-3.0)], &[2]).unwrap();
        let scale = Tensor::from_slice(&[1.0_f32, 0.1], &[2]).unwrap();
        let operator = RMSNormalization { epsilon: 0.0, ..RMSNormalization::default() };
        let result = Context::new().unwrap().run(&operator, &[Some(&x), Some(&scale)]).unwrap().remove(0);
        let expected = (1.0 / 3.0_f32) * 3.0;
        assert_eq!(result.to_vec::<f32>().unwrap(), [expected, -expected * 0.1]);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let (x, scale) = (Fact::new(DType::F32, []), Fact::new(DType::F32, []));
        let error = infer(&RMSNormalization::default(), "norm", &[Some(&x), Some(&scale)]).unwrap_err();
        assert_eq!(error.to_string(), "RMSNormalization: axis -1 does not exist at rank 0");
    }
}
