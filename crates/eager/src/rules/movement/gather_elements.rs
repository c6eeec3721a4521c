//! `GatherElements`: each element has the sum of the gradients of all that was taken from it.

use stratal_ops::GatherElements;

use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::private::At;

impl Derivative for GatherElements {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::input(1)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        Ok(call.gradient()?.summed_at(&call.input(1)?, call.shape(0), At::Elements { axis: self.axis })?.into())
    }
}
