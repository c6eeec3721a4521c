//! `ReduceLogSumExp`: `g * exp(x - y)`, 0 where all elements are -inf.

use stratal_ops::ReduceLogSumExp;

use super::kept::kept_shape;
use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for ReduceLogSumExp {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::inputs([0, 1]).and_output(0)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let kept = kept_shape(call, self.noop_with_empty_axes)?;
        let (gradient, x, sum) =
            (call.gradient()?.reshape_to(&kept)?, call.input(0)?, call.output(0)?.reshape_to(&kept)?);
        // -inf less -inf is NaN. The exponential of -inf less anything else is 0, as it should be.
        let finite = sum.equal(f64::NEG_INFINITY)?.select_by(&sum.number(0.0)?, &sum)?;
        Ok(x.sub(&finite)?.exp()?.mul(&gradient)?.into())
    }
}
