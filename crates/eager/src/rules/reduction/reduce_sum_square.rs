//! `ReduceSumSquare`: `2 * g * x`.

use stratal_ops::ReduceSumSquare;

use super::kept::kept_shape;
use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for ReduceSumSquare {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::inputs([0, 1])
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let kept = kept_shape(call, self.noop_with_empty_axes)?;
        let gradient = call.gradient()?.mul(2.0)?.reshape_to(&kept)?;
        Ok(call.input(0)?.mul(&gradient)?.into())
    }
}
