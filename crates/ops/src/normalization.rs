//! Operators that put rows on one scale: softmax, normalisations.

use crate::registry::operators;

mod last_axes;
pub(crate) mod precision;
mod rows;
mod skip;

pub use lp_normalization::Norm;

operators! {
    batch_normalization::BatchNormalization,
    group_normalization::GroupNormalization,
    hardmax::Hardmax,
    instance_normalization::InstanceNormalization,
    layer_normalization::LayerNormalization,
    log_softmax::LogSoftmax,
    lp_normalization::LpNormalization,
    lrn::LRN,
    mean_variance_normalization::MeanVarianceNormalization,
    rms_normalization::RMSNormalization,
    simplified_layer_normalization::SimplifiedLayerNormalization,
    skip_layer_normalization::SkipLayerNormalization,
    skip_simplified_layer_normalization::SkipSimplifiedLayerNormalization,
    softmax::Softmax,
}
