//! `MeanVarianceNormalization`: the gradient of normalised rows, along any axes.

use stratal_kernels::Centre;
use stratal_ops::MeanVarianceNormalization;

use super::normalized_rows::{NormalizedRows, computed};
use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::rules::reduction::{Rows, with_extents_of_one};

/// What is added to the variance.
const EPSILON: f32 = 1e-18;

impl Derivative for MeanVarianceNormalization {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::input(0)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let dtype = computed([call.dtype(0)]);
        let shape = call.shape(0);
        let seen = Rows::of(shape, &with_extents_of_one(shape, &self.axes)?);
        let x = seen.see(&call.input(0)?.cast(dtype)?)?;
        let rows = NormalizedRows::of(&x, 1, Centre::Mean, EPSILON)?;
        let gradient = rows.gradient(&seen.see(&call.gradient()?.cast(dtype)?)?, None)?;
        Ok(seen.back(&gradient)?.cast(call.dtype(0))?.into())
    }
}
