//! `Mul`: `g * b` and `g * a`.

use stratal_ops::Mul;

use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for Mul {
    fn saves(&self, need: &Need<'_>) -> Saves {
        Saves::nothing().and_input_if(need.input(1), 0).and_input_if(need.input(0), 1)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let gradient = call.gradient()?;
        let a = call.wanted_summed(0, || gradient.mul(&call.input(1)?))?;
        let b = call.wanted_summed(1, || gradient.mul(&call.input(0)?))?;
        Ok([a, b].into())
    }
}
