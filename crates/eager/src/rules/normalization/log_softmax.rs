//! `LogSoftmax`: `g - exp(y) * sum(g)` along the axis.

use stratal_ops::LogSoftmax;

use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for LogSoftmax {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::output(0)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let (gradient, y) = (call.gradient()?, call.output(0)?);
        Ok(gradient.sub(&y.exp()?.mul(&gradient.sum(&[self.axis], true)?)?)?.into())
    }
}
