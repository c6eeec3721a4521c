//! `ReduceL2`: `g * x / y`, 0 where the norm is 0.

use stratal_ops::ReduceL2;

use super::kept::kept_shape;
use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for ReduceL2 {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::inputs([0, 1]).and_output(0)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let kept = kept_shape(call, self.noop_with_empty_axes)?;
        let (gradient, x, norm) = (call.gradient()?, call.input(0)?, call.output(0)?);
        // Elements of a norm of 0 are 0, and stay that.
        let divisor = norm.equal(0.0)?.select_by(&norm.number(1.0)?, &norm)?;
        Ok(x.mul(&gradient.div(&divisor)?.reshape_to(&kept)?)?.into())
    }
}
