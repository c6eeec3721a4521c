//! `Gather`: each slice has the sum of the gradients of all that was taken from it.

use stratal_ops::Gather;

use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for Gather {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::input(1)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let shape = call.shape(0);
        Ok(call.gradient()?.slices_summed_at(&call.input(1)?, shape, shape.axis(self.axis)?)?.into())
    }
}
