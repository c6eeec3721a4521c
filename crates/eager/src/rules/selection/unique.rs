//! `Unique`: the gradient goes to the first of equal elements, or slices.

use stratal_ops::Unique;

use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for Unique {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::output(1)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let (gradient, first, shape) = (call.gradient()?, call.output(1)?, call.shape(0));
        Ok(match self.axis {
            Some(axis) => gradient.slices_summed_at(&first, shape, shape.axis(axis)?)?,
            None => gradient.added_at(&first, shape)?,
        }
        .into())
    }
}
