//! `SkipSimplifiedLayerNormalization`: ONNX Runtime's RMS normalisation of a sum.

use stratal_kernels::Centre;

use super::skip::Skip;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, MICROSOFT, Operator, Outputs, dtypes};

/// RMS normalisation over the last axis of `x + skip + bias`.
///
/// Inputs are `x` of `[.., n]`, `skip`, which broadcasts to it, a scale of `[n]`, and where it is there, the bias of the sum.
/// Outputs are the result, zeros where [`SkipLayerNormalization`](crate::SkipLayerNormalization) has means,
/// `1 / sqrt(mean(x^2) + epsilon)` of each row as f32, and the sum.
#[derive(Debug, Clone, Copy)]
pub struct SkipSimplifiedLayerNormalization {
    /// What is added to the mean square.
    pub epsilon: f32,
}

impl SkipSimplifiedLayerNormalization {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: MICROSOFT,
        name: "SkipSimplifiedLayerNormalization",
        since: 1,
        inputs: 3..=4,
        outputs: 1..=4,
        attributes: &["epsilon"],
        dtypes: dtypes::FLOATS,
        build: |node| Ok(Box::new(Self { epsilon: node.float_or("epsilon", 1e-12)? })),
    };

    const fn skip(&self) -> Skip {
        Skip { centre: Centre::Zero, epsilon: self.epsilon, offset: None, bias: 3 }
    }
}

impl Operator for SkipSimplifiedLayerNormalization {
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

    use super::*;

    #[test]
    fn all_inputs_and_outputs() {
        let tensor = |elements: &[f32], extents: &[i64]| Tensor::from_slice(elements, extents).unwrap();
        let (x, skip) = (tensor(&[1.0, 2.0, 30.0, 1.0], &[2, 2]), tensor(&[2.0, 1.0, 0.0, 30.0], &[2, 2]));
        let (scale, bias) = (tensor(&[1.0, 10.0], &[2]), tensor(&[1.0, 1.0], &[2]));
        let operator = SkipSimplifiedLayerNormalization { epsilon: 0.0 };
        let results = Context::new().unwrap().run(&operator, &[&x, &skip, &scale, &bias].map(Some)).unwrap();
        let results: Vec<Vec<f32>> = results.iter().map(|result| result.to_vec().unwrap()).collect();
        assert_eq!(results[0][..2], [1.0, 10.0]);
        assert_eq!(results[1], [0.0, 0.0]);
        assert_eq!(results[2][0], 0.25);
        assert_eq!(results[3], [4.0, 4.0, 31.0, 32.0]);
    }
}
