//! `Softmax`: `y * (g - sum(g * y))` along the axis.

use stratal_ops::Softmax;

use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for Softmax {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::output(0)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let (gradient, y) = (call.gradient()?, call.output(0)?);
        let mean = gradient.mul(&y)?.sum(&[self.axis], true)?;
        Ok(gradient.sub(&mean)?.mul(&y)?.into())
    }
}
