//! `SwiGLU`: `g * b` times the slope of the swish of `a`; and `g` times that swish.

use stratal_ops::SwiGlu;

use super::swish::SwishSlope;
use super::unary::times_slope;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::{EagerError, apply};

impl Derivative for SwiGlu {
    fn saves(&self, need: &Need<'_>) -> Saves {
        Saves::input(0).and_input_if(need.input(0), 1)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let (gradient, a) = (call.gradient()?, call.input(0)?);
        let slope = SwishSlope { alpha: self.gate.alpha };
        let of_a = call.wanted(0, || times_slope(slope, call, &gradient.mul(&call.input(1)?)?, &a))?;
        let of_b = call.wanted(1, || gradient.mul(&apply(&self.gate, &[Some(&a)])?))?;
        Ok([of_a, of_b].into())
    }
}
