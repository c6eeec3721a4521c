//! `NegativeLogLikelihoodLoss`: `-g * weight` at the class of each sample, 0 elsewhere. For a mean the weight is a share in all.

use stratal_ops::NegativeLogLikelihoodLoss;

use super::log_likelihood::{LogLikelihood, required};
use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves, by_composition};

impl Derivative for NegativeLogLikelihoodLoss {
    fn saves(&self, need: &Need<'_>) -> Saves {
        LogLikelihood::saves(need)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let loss = LogLikelihood { reduction: self.reduction, ignore_index: self.ignore_index };
        if call.needs(2) {
            return by_composition(call, |inputs| {
                let weights = inputs.get(2).and_then(Option::as_ref);
                Ok(vec![loss.of(required(inputs, 0)?, required(inputs, 1)?, weights)?])
            });
        }
        let samples = loss.samples(call)?;
        let factor = loss.factor(call, &samples)?;
        Ok(samples.is_class.select_by(&factor.neg()?, &factor.number(0.0)?)?.into())
    }
}
