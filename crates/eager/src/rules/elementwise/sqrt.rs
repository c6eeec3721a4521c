//! `Sqrt`: `g / (2 * y)`.

use stratal_ops::Sqrt;

use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for Sqrt {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::output(0)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        Ok(call.gradient()?.div(&call.output(0)?.mul(2.0)?)?.into())
    }
}
