//! `SkipLayerNormalization`: the gradient of the sum's normalised rows, which each summand has.

use stratal_kernels::Centre;
use stratal_ops::SkipLayerNormalization;

use super::skip::Skip;
use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for SkipLayerNormalization {
    fn saves(&self, need: &Need<'_>) -> Saves {
        skip(self).saves(need)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        skip(self).backward(call)
    }
}

const fn skip(operator: &SkipLayerNormalization) -> Skip {
    Skip { centre: Centre::Mean, epsilon: operator.epsilon, offset: Some(3), bias: 4 }
}
