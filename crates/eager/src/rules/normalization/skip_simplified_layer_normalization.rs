//! `SkipSimplifiedLayerNormalization`: the gradient of the sum's normalised rows, which each summand has.

use stratal_kernels::Centre;
use stratal_ops::SkipSimplifiedLayerNormalization;

use super::skip::Skip;
use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for SkipSimplifiedLayerNormalization {
    fn saves(&self, need: &Need<'_>) -> Saves {
        skip(self).saves(need)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        skip(self).backward(call)
    }
}

const fn skip(operator: &SkipSimplifiedLayerNormalization) -> Skip {
    Skip { centre: Centre::Zero, epsilon: operator.epsilon, offset: None, bias: 3 }
}
