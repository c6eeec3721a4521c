//! Derivatives of losses.

mod log_likelihood;
mod samples;

pub(crate) use self::log_likelihood::reduced;
pub(crate) use self::samples::Samples;
use super::derivatives;

derivatives! {
    negative_log_likelihood_loss::NegativeLogLikelihoodLoss,
    softmax_cross_entropy_loss::SoftmaxCrossEntropyLoss,
}
