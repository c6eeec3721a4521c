//! `ReduceSum`: each term has the gradient of its sum.

use stratal_ops::ReduceSum;

use super::kept::{kept_shape, spread};
use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for ReduceSum {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::input(1)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let kept = kept_shape(call, self.noop_with_empty_axes)?;
        Ok(spread(&call.gradient()?, &kept, call)?.into())
    }
}
