//! `SkipLayerNormalization`: ONNX Runtime's layer normalisation of a sum.

use stratal_kernels::Centre;

use super::skip::Skip;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, MICROSOFT, Operator, Outputs, dtypes};

/// Layer normalisation over the last axis of `x + skip + bias`.
///
/// Inputs are `x` of `[.., n]`, `skip`, which broadcasts to it, a scale of `[n]`, and where they are there, what is added to the
/// result and the bias of the sum, of `[n]` too. Outputs are the result, the mean and `1 / sqrt(variance + epsilon)` of each
/// row as f32, and the sum. Sums of 16-bit floats are normalised before they are rounded, where ONNX Runtime rounds them first.
#[derive(Debug, Clone, Copy)]
pub struct SkipLayerNormalization {
    /// What is added to the variance.
    pub epsilon: f32,
}

impl SkipLayerNormalization {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: MICROSOFT,
        name: "SkipLayerNormalization",
        since: 1,
        inputs: 3..=5,
        outputs: 1..=4,
        attributes: &["epsilon"],
        dtypes: dtypes::FLOATS,
        build: |node| Ok(Box::new(Self { epsilon: node.float_or("epsilon", 1e-12)? })),
    };

    const fn skip(&self) -> Skip {
        Skip { centre: Centre::Mean, epsilon: self.epsilon, offset: Some(3), bias: 4 }
    }
}

impl Operator for SkipLayerNormalization {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        self.skip().infer(inputs)
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        self.skip().compute(context, inputs, outputs)
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::{DType, f16};

    use super::*;
    use crate::infer;

    fn tensor(elements: &[f32], extents: &[i64]) -> Tensor {
        Tensor::from_slice(elements, extents).unwrap()
    }

    fn lists(results: &[Tensor]) -> Vec<Vec<f32>> {
        results.iter().map(|result| result.to_vec().unwrap()).collect()
    }

    #[test]
    fn all_inputs_and_outputs() {
        let x = tensor(&[1.0, 2.0, 30.0, 10.0], &[2, 1, 2]);
        // One layer for the whole batch.
        let skip = tensor(&[0.0, 1.0], &[1, 1, 2]);
        let (scale, offset, bias) = (tensor(&[1.0, 2.0], &[2]), tensor(&[0.0, 5.0], &[2]), tensor(&[-1.0, 1.0], &[2]));
        let operator = SkipLayerNormalization { epsilon: 0.0 };
        let context = Context::new().unwrap();
        let results = context.run(&operator, &[&x, &skip, &scale, &offset, &bias].map(Some)).unwrap();
        let expected = [vec![-1.0, 7.0, 1.0, 3.0], vec![2.0, 20.5], vec![0.5, 1.0 / 8.5], vec![0.0, 4.0, 29.0, 12.0]];
        assert_eq!(lists(&results), expected);
        assert_eq!(results[1].shape().extents(), [2, 1, 1]);
        // With the optional ones left out.
        let results = context.run_wanted(&operator, &[Some(&x), Some(&skip), Some(&scale)], |output| output == 0);
        assert_eq!(results.unwrap()[0].as_ref().unwrap().to_vec::<f32>().unwrap(), [-1.0, 2.0, 1.0, -2.0]);
        let results = context.run_wanted(&operator, &[Some(&x), Some(&skip), Some(&scale)], |output| output == 1);
        assert_eq!(results.unwrap()[1].as_ref().unwrap().to_vec::<f32>().unwrap(), [2.0, 20.5]);
    }

    #[test]
    fn sums_of_halves_are_rounded_once() {
        let halves = |elements: &[f32]| {
            let elements: Vec<_> = elements.iter().map(|&x| f16::from_f32(x)).collect();
            Tensor::from_slice(&elements, &[1, 2]).unwrap()
        };
        // 2049 is no f16: the sum would be rounded to 2048, and the row to equal elements.
        let (x, skip) = (halves(&[2048.0, 2048.0]), halves(&[1.0, 0.0]));
        let scale = halves(&[1.0, 1.0]).reshape(&[2]).unwrap();
        let operator = SkipLayerNormalization { epsilon: 0.0 };
        let results = Context::new().unwrap().run(&operator, &[&x, &skip, &scale].map(Some)).unwrap();
        assert_eq!(results[0].to_vec::<f16>().unwrap(), [f16::from_f32(1.0), f16::from_f32(-1.0)]);
        assert_eq!(results[1].to_vec::<f32>().unwrap(), [2048.5]);
        assert_eq!(results[3].to_vec::<f16>().unwrap(), [f16::from_f32(2048.0); 2]);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let (x, skip) = (Fact::new(DType::F32, [2, 3, 4]), Fact::new(DType::F32, [2, 1, 4]));
        let (scale, bias) = (Fact::new(DType::F32, [4]), Fact::new(DType::F32, [3]));
        let operator = SkipLayerNormalization { epsilon: 0.0 };
        let inputs = [Some(&x), Some(&skip), Some(&scale), None, Some(&bias)];
        let error = infer(&operator, "skip", &inputs).unwrap_err();
        let text = "SkipLayerNormalization: input 4 has shape [3]: expected one element for each of 4 channels";
        assert_eq!(error.to_string(), text);
        let error = infer(&operator, "skip", &[Some(&skip), Some(&x), Some(&scale)]).unwrap_err();
        let text = "SkipLayerNormalization: input 1 has shape [2, 3, 4]: expected one that broadcasts to [2, 1, 4]";
        assert_eq!(error.to_string(), text);
    }
}
