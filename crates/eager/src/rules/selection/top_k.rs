//! `TopK`: the gradient goes back to the elements that were taken.

use stratal_ops::TopK;

use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::private::At;

impl Derivative for TopK {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::output(1)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        Ok(call.gradient()?.summed_at(&call.output(1)?, call.shape(0), At::Elements { axis: self.axis })?.into())
    }
}
