//! `Sin`: `g * cos(x)`.

use stratal_ops::Sin;

use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for Sin {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::input(0)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        Ok(call.gradient()?.mul(&call.input(0)?.cos()?)?.into())
    }
}
