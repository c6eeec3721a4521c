//! `Cos`: `-g * sin(x)`.

use stratal_ops::Cos;

use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for Cos {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::input(0)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        Ok(call.gradient()?.neg()?.mul(&call.input(0)?.sin()?)?.into())
    }
}
