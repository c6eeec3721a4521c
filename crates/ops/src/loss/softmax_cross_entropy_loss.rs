//! `SoftmaxCrossEntropyLoss`: how unlikely the right classes are by their scores.

use stratal_kernels::Softmax;

use super::log_likelihood::{LogLikelihood, LossReduction};
use crate::normalization::precision::{compute_in, widened};
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, dtypes, read, write};

/// [`NegativeLogLikelihoodLoss`](crate::NegativeLogLikelihoodLoss) of the logarithm of the softmax of scores along axis 1.
///
/// Inputs are scores of `[N, C, ..]`, the class of each sample as `[N, ..]`, and where they are there, weights of `[C]`. The
/// second output is the logarithm of the softmax. For 16-bit floats the loss is made of it before it is rounded.
#[derive(Debug, Clone, Copy, Default)]
pub struct SoftmaxCrossEntropyLoss {
    /// What is made of the losses of all samples.
    pub reduction: LossReduction,
    /// The class of samples that do not count; it need not be one that there is.
    pub ignore_index: Option<i64>,
}

impl SoftmaxCrossEntropyLoss {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "SoftmaxCrossEntropyLoss",
        since: 13,
        inputs: 2..=3,
        outputs: 1..=2,
        attributes: &["ignore_index", "reduction"],
        dtypes: dtypes::FLOATS,
        build: |node| {
            Ok(Box::new(Self { reduction: LossReduction::of(node)?, ignore_index: node.int("ignore_index")? }))
        },
    };

    const fn log_likelihood(self) -> LogLikelihood {
        LogLikelihood { reduction: self.reduction, ignore_index: self.ignore_index }
    }
}

impl Operator for SoftmaxCrossEntropyLoss {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let loss = self.log_likelihood().infer(inputs)?;
        Ok(vec![loss, Fact { elements: None, ..inputs.required(0)?.clone() }])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let scores = inputs.required(0)?;
        let dtype = widened(scores.dtype());
        let logarithms = context.scratch(dtype, scores.shape())?;
        let softmax = Softmax { is_logarithm: true, ..Softmax::along(1) };
        write(&logarithms, |result| {
            compute_in(dtype, context, [Some(scores)], result, |operands, result| {
                let [Some(scores)] = operands else { return Err(Cause::MissingInput { input: 0 }) };
                Ok(context.kernels().softmax(&softmax, scores, result)?)
            })
        })?;
        let logarithms = read(&logarithms)?;
        let logarithms = logarithms.view()?;
        outputs.write(1, |result| context.kernels().cast(&logarithms, result))?;
        self.log_likelihood().compute(context, &logarithms, inputs, outputs)
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::{DType, f16};

    use super::*;

    #[test]
    fn a_score_far_below_the_others() {
        let scores = Tensor::from_slice(&[0.0_f32, -200.0], &[1, 2]).unwrap();
        let classes = Tensor::from_slice(&[1_i64], &[1]).unwrap();
        let operator = SoftmaxCrossEntropyLoss::default();
        let results = Context::new().unwrap().run(&operator, &[Some(&scores), Some(&classes)]).unwrap();
        assert_eq!(results[0].to_vec::<f32>().unwrap(), [200.0]);
        assert_eq!(results[1].to_vec::<f32>().unwrap(), [0.0, -200.0]);
    }

    #[test]
    fn halves_are_rounded_once() {
        // The sum of logarithms that are f16 would be 1120.
        let scores = Tensor::zeros(&[1019, 3], DType::F16).unwrap();
        let classes = Tensor::zeros(&[1019], DType::I32).unwrap();
        let operator = SoftmaxCrossEntropyLoss { reduction: LossReduction::Sum, ignore_index: None };
        let results = Context::new().unwrap().run(&operator, &[Some(&scores), Some(&classes)]).unwrap();
        assert_eq!(results[0].to_vec::<f16>().unwrap(), [f16::from_f32(1119.0)]);
        assert_eq!(results[1].to_vec::<f16>().unwrap()[..3], [f16::from_f32(-3.0_f32.ln()); 3]);
    }
}
