//! `ReduceL1`: `g * sign(x)`, 0 at 0.

use stratal_ops::ReduceL1;

use super::kept::{kept_shape, spread};
use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for ReduceL1 {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::inputs([0, 1])
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let kept = kept_shape(call, self.noop_with_empty_axes)?;
        // A sign is constant wherever there is a gradient.
        let sign = call.input(0)?.detach().sign()?;
        Ok(spread(&call.gradient()?, &kept, call)?.mul(&sign)?.into())
    }
}
