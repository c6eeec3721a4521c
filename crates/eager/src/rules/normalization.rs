//! Derivatives of softmax and of normalisations.

mod channels;
mod last_axes;
mod row_loops;
mod rows;
mod rows_gradient;
mod skip;

use super::derivatives;
use crate::derivative::Registered;

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

/// The derivatives of operators that rules of this family apply.
pub(crate) const PRIVATE: &[Registered] = &[Registered::of::<rows_gradient::RowsGradient>(
    &rows_gradient::RowsGradient::DEFINITION,
    "stratal.eager.RowsGradient",
)];
