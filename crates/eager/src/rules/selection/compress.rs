//! `Compress`: the gradient goes back to what was taken.

use stratal_ops::Compress;

use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::private::{indices, places};
use crate::{EagerError, apply};

impl Derivative for Compress {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::input(1)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let (gradient, condition, shape) = (call.gradient()?, call.input(1)?, call.shape(0));
        let Some(axis) = self.axis else {
            let taken = apply(self, &[Some(&places(shape)?), Some(&condition)])?;
            return Ok(gradient.added_at(&taken, shape)?.into());
        };
        let axis = shape.axis(axis)?;
        let slices = indices((0..shape.extent(axis) as i64).collect())?;
        let taken = apply(&Self { axis: Some(0) }, &[Some(&slices), Some(&condition)])?;
        Ok(gradient.slices_summed_at(&taken, shape, axis)?.into())
    }
}
