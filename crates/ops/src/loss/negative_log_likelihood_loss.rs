//! `NegativeLogLikelihoodLoss`: how unlikely the right classes are.

use super::log_likelihood::{LogLikelihood, LossReduction};
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, dtypes};

/// `-x[class] * weight[class]` of each sample, or their sum or weighted mean.
///
/// Inputs are `x` of `[N, C, ..]`, which holds logarithms of probabilities, the class of each sample as `[N, ..]`, and where
/// they are there, weights of `[C]`. Samples of the class `ignore_index` have no loss and no weight. A class that there is not
/// is an error, and a mean without a sample that counts NaN. Products and sums are computed in f64 and rounded once.
#[derive(Debug, Clone, Copy, Default)]
pub struct NegativeLogLikelihoodLoss {
    /// What is made of the losses of all samples.
    pub reduction: LossReduction,
    /// The class of samples that do not count; it need not be one that there is.
    pub ignore_index: Option<i64>,
}

impl NegativeLogLikelihoodLoss {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "NegativeLogLikelihoodLoss",
        since: 22,
        inputs: 2..=3,
        outputs: 1..=1,
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

impl Operator for NegativeLogLikelihoodLoss {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        Ok(vec![self.log_likelihood().infer(inputs)?])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        self.log_likelihood().compute(context, inputs.required(0)?, inputs, outputs)
    }
}
