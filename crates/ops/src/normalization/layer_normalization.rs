//! `LayerNormalization`: the last axes normalised.

use stratal_kernels::Centre;
use stratal_tensor_base::DType;

use super::last_axes::{LastAxes, StatisticOutputs};
use super::precision::stash_dtype;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, dtypes};

/// Normalises the elements along an axis and all behind it to mean 0 and variance 1, then multiplies by a scale and adds a
/// bias, which broadcast to `x`.
///
/// Outputs are the result, and for each row its mean and `1 / sqrt(variance + epsilon)`, with extent 1 along the axes. The
/// variance is of deviations, so nothing cancels where a row is far from zero. Floats of 16 bits compute in f32 and are rounded
/// once, those of 64 bits in f64 whatever `stash_dtype` says.
#[derive(Debug, Clone, Copy)]
pub struct LayerNormalization {
    /// The first axis of a row; it may count from the end.
    pub axis: i64,
    /// What is added to the variance.
    pub epsilon: f32,
    /// The dtype of the second and third output. F64 means that all is computed in f64.
    pub stash_dtype: DType,
}

impl LayerNormalization {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "LayerNormalization",
        since: 17,
        inputs: 2..=3,
        outputs: 1..=3,
        attributes: &["axis", "epsilon", "stash_type"],
        dtypes: dtypes::FLOATS,
        build: |node| {
            let (axis, epsilon) = (node.int_or("axis", -1)?, node.float_or("epsilon", 1e-5)?);
            Ok(Box::new(Self { axis, epsilon, stash_dtype: stash_dtype(node)? }))
        },
    };

    const fn last_axes(&self) -> LastAxes {
        let Self { axis, epsilon, stash_dtype } = *self;
        LastAxes { centre: Centre::Mean, axis, epsilon, stash_dtype }
    }
}

impl Default for LayerNormalization {
    /// The attributes that a node has if it says nothing.
    fn default() -> Self {
        Self { axis: -1, epsilon: 1e-5, stash_dtype: DType::F32 }
    }
}

impl Operator for LayerNormalization {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let last_axes = self.last_axes();
        let (shape, statistics) = last_axes.shapes(inputs)?;
        let dtype = inputs.required(0)?.dtype;
        inputs.check_dtypes(dtype)?;
        let statistic = last_axes.statistic(statistics);
        Ok(vec![Fact::new(dtype, shape), statistic.clone(), statistic])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let operands = [0, 1, 2].map(|input| inputs.get(input));
        let statistics = StatisticOutputs { mean: Some(1), inverse_deviation: Some(2) };
        self.last_axes().compute(context, operands, outputs, statistics)
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::{bf16, f16};

    use super::*;
    use crate::{Extent, SymbolicShape, infer};

    fn run(operator: &LayerNormalization, x: &Tensor) -> Vec<Tensor> {
        let scale = Tensor::ones(&[], x.dtype()).unwrap();
        Context::new().unwrap().run(operator, &[Some(x), Some(&scale)]).unwrap()
    }

    #[test]
    fn rows_far_from_zero_keep_their_digits() {
        for base in [40_000.0_f32, 80_000.0] {
            let x = Tensor::from_slice(&[base, base + 1.0, base + 2.0, base + 3.0], &[4]).unwrap();
            let result = run(&LayerNormalization::default(), &x).remove(0).to_vec::<f32>().unwrap();
            let expected = [-1.341_635_f32, -0.447_212, 0.447_212, 1.341_635];
            for (x, y) in result.iter().zip(expected) {
                assert!((x - y).abs() < 2e-6, "{result:?}");
            }
        }
        let equal = run(&LayerNormalization::default(), &Tensor::full(&[256], 1234.0_f32, DType::F32).unwrap());
        assert_eq!(equal[0].to_vec::<f32>().unwrap(), [0.0; 256]);
    }

    #[test]
    fn rows_whose_squares_overflow() {
        let x = Tensor::from_slice(&[-1e30_f32, 1e30], &[2]).unwrap();
        assert_eq!(run(&LayerNormalization::default(), &x)[0].to_vec::<f32>().unwrap(), [-1.0, 1.0]);
    }

    #[test]
    fn statistics_have_the_dtype_that_is_asked_for() {
        let halves = [f16::from_f32(1.0), f16::from_f32(3.0)];
        let x = Tensor::from_slice(&halves, &[1, 2]).unwrap();
        let operator = LayerNormalization { epsilon: 0.0, ..LayerNormalization::default() };
        let results = run(&operator, &x);
        assert_eq!(results[0].to_vec::<f16>().unwrap(), [f16::from_f32(-1.0), f16::from_f32(1.0)]);
        assert_eq!(results[1].to_vec::<f32>().unwrap(), [2.0]);
        assert_eq!(results[2].to_vec::<f32>().unwrap(), [1.0]);
        let results = run(&LayerNormalization { stash_dtype: DType::BF16, ..operator }, &x);
        assert_eq!(results[1].to_vec::<bf16>().unwrap(), [bf16::from_f32(2.0)]);
        let results = run(&LayerNormalization { stash_dtype: DType::F64, ..operator }, &x);
        assert_eq!(results[2].to_vec::<f64>().unwrap(), [1.0]);
        // A mean that is no f32.
        let x = Tensor::from_slice(&[1.0_f32, 1.0 + f32::EPSILON], &[2]).unwrap();
        let results = run(&LayerNormalization { stash_dtype: DType::F64, ..operator }, &x);
        assert_eq!(results[1].to_vec::<f64>().unwrap(), [1.0 + f64::from(f32::EPSILON) / 2.0]);
    }

    #[test]
    fn shapes_of_symbols() {
        let x = Fact::new(DType::F16, SymbolicShape::new([Extent::symbol("batch"), Extent::symbol("seq"), 768.into()]));
        let scale = Fact::new(DType::F16, [768]);
        let facts = infer(&LayerNormalization::default(), "norm", &[Some(&x), Some(&scale)]).unwrap();
        assert_eq!(facts[0], x);
        assert_eq!(facts[1].shape.as_ref().unwrap().to_string(), "[batch, seq, 1]");
        let scale = Fact::new(DType::F16, [512]);
        let error = infer(&LayerNormalization::default(), "norm", &[Some(&x), Some(&scale)]).unwrap_err();
        let text = "LayerNormalization: input 1 has shape [512]: expected one that broadcasts to [batch, seq, 768]";
        assert_eq!(error.to_string(), text);
        let scale = Fact::new(DType::F16, [1, 1, 1, 768]);
        assert!(infer(&LayerNormalization::default(), "norm", &[Some(&x), Some(&scale)]).is_err());
    }
}
