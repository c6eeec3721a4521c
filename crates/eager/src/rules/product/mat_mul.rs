//! `MatMul`: `g * b^T` and `a^T * g`, summed over what was broadcast.

use stratal_ops::MatMul;

use super::factors::{left_gradient, right_gradient};
use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for MatMul {
    fn saves(&self, need: &Need<'_>) -> Saves {
        Saves::nothing().and_input_if(need.input(1), 0).and_input_if(need.input(0), 1)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let gradient = call.gradient()?;
        let a = call.wanted(0, || left_gradient(&gradient, call.shape(0), &call.input(1)?, 1.0))?;
        let b = call.wanted(1, || right_gradient(&gradient, &call.input(0)?, call.shape(1), 1.0))?;
        Ok([a, b].into())
    }
}
