//! `LpNormalization`: `(g - n * sum(g * y)) / norm` along the axis, where `n` is the gradient of the norm: `y`, or the sign of `x`.
//! It is 0 where the norm is 0.

use stratal_ops::{LpNormalization, Norm};

use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for LpNormalization {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::input(0).and_output(0)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let (gradient, x, y) = (call.gradient()?, call.input(0)?, call.output(0)?);
        let slope = match self.norm {
            // A sign is constant wherever there is a gradient.
            Norm::L1 => x.detach().sign()?,
            Norm::L2 => y.clone(),
        };
        let sum = |var: crate::Var| var.sum(&[self.axis], true);
        // Where squares of `x` leave the dtype, products of the two do not.
        let norm = sum(x.mul(&slope)?)?;
        let is_zero = norm.equal(0.0)?;
        let share =
            is_zero.select_by(&norm.number(0.0)?, &is_zero.select_by(&norm.number(1.0)?, &norm)?.reciprocal()?)?;
        Ok(gradient.sub(&slope.mul(&sum(gradient.mul(&y)?)?)?)?.mul(&share)?.into())
    }
}
