//! `Tanh`: `g * (1 - y^2)`.

use stratal_ops::Tanh;

use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for Tanh {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::output(0)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let y = call.output(0)?;
        Ok(call.gradient()?.mul(&y.square()?.neg()?.add(1.0)?)?.into())
    }
}
