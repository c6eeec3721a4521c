//! Operators that measure how far predictions are from what was to be predicted, and those that learn from it.

use crate::registry::operators;

mod log_likelihood;
mod step;

pub use log_likelihood::LossReduction;
pub use momentum::MomentumMode;

operators! {
    adagrad::Adagrad,
    adam::Adam,
    momentum::Momentum,
    negative_log_likelihood_loss::NegativeLogLikelihoodLoss,
    softmax_cross_entropy_loss::SoftmaxCrossEntropyLoss,
}
