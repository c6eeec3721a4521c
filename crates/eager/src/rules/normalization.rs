//! Derivatives of softmax and of normalisations.

mod channels;
mod last_axes;
mod normalized_rows;
pub(crate) mod rows_gradient;
mod skip;

use super::derivatives;

derivatives! {
    batch_normalization::BatchNormalization,
    group_normalization::GroupNormalization,
    instance_normalization::InstanceNormalization,
    layer_normalization::LayerNormalization,
    log_softmax::LogSoftmax,
    lp_normalization::LpNormalization,
    lrn::LRN,
    mean_variance_normalization::MeanVarianceNormalization,
    rms_normalization::RMSNormalization,
    simplified_layer_normalization::SimplifiedLayerNormalization,
    skip_layer_normalization::SkipLayerNormalization as "com.microsoft.SkipLayerNormalization",
    skip_simplified_layer_normalization::SkipSimplifiedLayerNormalization as "com.microsoft.SkipSimplifiedLayerNormalization",
    softmax::Softmax,
}
