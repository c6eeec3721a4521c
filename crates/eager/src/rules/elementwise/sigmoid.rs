//! `Sigmoid`: `g * y * (1 - y)`.

use stratal_ops::Sigmoid;

use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for Sigmoid {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::output(0)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let y = call.output(0)?;
        Ok(call.gradient()?.mul(&y)?.mul(&y.neg()?.add(1.0)?)?.into())
    }
}
