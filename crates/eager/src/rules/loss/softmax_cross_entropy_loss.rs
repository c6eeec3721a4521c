//! `SoftmaxCrossEntropyLoss`: `g * weight * (softmax - 1)` at the class of each sample, `g * weight * softmax` elsewhere, 0 where a
//! sample does not count. For a mean the weight is a share in all. The second output adds what the gradient of `LogSoftmax` is.

use stratal_ops::SoftmaxCrossEntropyLoss;

use super::log_likelihood::{LogLikelihood, required};
use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves, by_composition};

/// The output that is the logarithm of the softmax.
const LOGARITHMS: usize = 1;

impl Derivative for SoftmaxCrossEntropyLoss {
    fn saves(&self, need: &Need<'_>) -> Saves {
        let saves = LogLikelihood::saves(need);
        if need.input(2) { saves } else { saves.and_output(LOGARITHMS) }
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let loss = LogLikelihood { reduction: self.reduction, ignore_index: self.ignore_index };
        if call.needs(2) {
            return by_composition(call, |inputs| {
                let logarithms = required(inputs, 0)?.log_softmax(1)?;
                let weights = inputs.get(2).and_then(Option::as_ref);
                Ok(vec![loss.of(&logarithms, required(inputs, 1)?, weights)?, logarithms])
            });
        }
        let samples = loss.samples(call)?;
        let factor = loss.factor(call, &samples)?;
        let shares = call.output(LOGARITHMS)?.exp()?;
        let weighted = shares.mul(&factor)?;
        let of_loss = samples.counted(samples.is_class.select_by(&weighted.sub(&factor)?, &weighted)?)?;
        Ok(match call.output_gradient(LOGARITHMS) {
            Some(gradient) => of_loss.add(&gradient.sub(&shares.mul(&gradient.sum(&[1], true)?)?)?)?,
            None => of_loss,
        }
        .into())
    }
}
