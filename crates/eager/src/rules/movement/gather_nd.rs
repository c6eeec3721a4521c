//! `GatherND`: each slice has the sum of the gradients of all that was taken from it.

use stratal_ops::GatherND;

use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::private::{At, places};
use crate::{EagerError, apply};

impl Derivative for GatherND {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::input(1)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let (gradient, indices, shape) = (call.gradient()?, call.input(1)?, call.shape(0));
        if self.batch_axes == 0 {
            return Ok(gradient.summed_at(&indices, shape, At::Slices)?.into());
        }
        // Coordinates of a batch leave out which one it is; where its elements come from does not.
        let sources = apply(self, &[Some(&places(shape)?), Some(&indices)])?;
        Ok(gradient.added_at(&sources, shape)?.into())
    }
}
