//! `Dropout`: `g / (1 - ratio)` for elements that were kept, else 0; `g` outside of training.

use stratal_ops::Dropout;

use crate::EagerError;
use crate::Var;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for Dropout {
    fn saves(&self, need: &Need<'_>) -> Saves {
        // Outside of training nobody has to know that all elements were kept.
        let training = need.inputs.get(2).copied().flatten();
        if training.is_some_and(|training| is_true(training).unwrap_or(true)) {
            Saves::inputs([1, 2]).and_output(1)
        } else {
            Saves::input(2)
        }
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let gradient = call.gradient()?;
        let of_x = call.wanted(0, || {
            if !call.is_given(2) || !is_true(&call.input(2)?)? {
                return Ok(gradient.clone());
            }
            let ratio = if call.is_given(1) { call.input(1)?.item()? } else { 0.5 };
            call.output(1)?.select_by(&gradient.mul(1.0 / (1.0 - ratio))?, &gradient.number(0.0)?)
        })?;
        // Which elements are kept does not change smoothly, so the ratio counts as a constant.
        let of_ratio = call.wanted(1, || call.zeros_like(1))?;
        Ok([of_x, of_ratio].into())
    }
}

fn is_true(training: &Var) -> Result<bool, EagerError> {
    Ok(training.item()? != 0.0)
}
