//! `ReduceLogSum`: `g / sum(x)`.

use stratal_ops::ReduceLogSum;

use super::kept::kept_shape;
use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for ReduceLogSum {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::inputs([0, 1])
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let kept = kept_shape(call, self.noop_with_empty_axes)?;
        let sum = call.input(0)?.sum_to(&kept)?;
        let share = call.gradient()?.reshape_to(&kept)?.div(&sum)?;
        Ok(share.expand_to(call.shape(0))?.into())
    }
}
