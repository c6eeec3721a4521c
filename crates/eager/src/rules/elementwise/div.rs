//! `Div`: `g / b` and `-g * a / b^2`.

use stratal_ops::Div;

use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for Div {
    fn saves(&self, need: &Need<'_>) -> Saves {
        Saves::input(1).and_input_if(need.input(1), 0)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let share = call.gradient()?.div(&call.input(1)?)?;
        let a = call.wanted_summed(0, || Ok(share.clone()))?;
        let b = call.wanted_summed(1, || share.mul(&call.input(0)?.div(&call.input(1)?)?)?.neg())?;
        Ok([a, b].into())
    }
}
