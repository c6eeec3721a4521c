//! `SimplifiedLayerNormalization`: the gradient of normalised rows.

use stratal_kernels::Centre;
use stratal_ops::SimplifiedLayerNormalization;

use super::last_axes::LastAxes;
use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for SimplifiedLayerNormalization {
    fn saves(&self, need: &Need<'_>) -> Saves {
        LastAxes::saves(need)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let Self { axis, epsilon, stash_dtype } = *self;
        let (mean, inverse_deviation) = (None, Some(1));
        let rows = LastAxes { centre: Centre::Zero, axis, epsilon, stash_dtype, mean, inverse_deviation };
        rows.backward(call)
    }
}
