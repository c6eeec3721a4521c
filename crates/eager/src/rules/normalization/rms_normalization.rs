//! `RMSNormalization`: the gradient of normalised rows.

use stratal_kernels::Centre;
use stratal_ops::RMSNormalization;

use super::last_axes::LastAxes;
use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for RMSNormalization {
    fn saves(&self, need: &Need<'_>) -> Saves {
        LastAxes::saves(need)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let Self { axis, epsilon, stash_dtype } = *self;
        let (mean, inverse_deviation) = (None, None);
        let rows = LastAxes { centre: Centre::Zero, axis, epsilon, stash_dtype, mean, inverse_deviation };
        rows.backward(call)
    }
}
