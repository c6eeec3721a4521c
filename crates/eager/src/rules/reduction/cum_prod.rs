//! `CumProd`: `p * s`, with the product `p` of all elements before each one, and the sum `s` of the gradients of all results that
//! it is part of, each times the elements in between: `s[i] = g[i] + x[i + 1] * s[i + 1]`. Nothing is divided, so zeros do no harm.

use stratal_ops::CumProd;

use super::cumulative::axis_of;
use super::recurrence::{Recurrence, shifted};
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::{EagerError, apply};

impl Derivative for CumProd {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::inputs([0, 1])
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let (axis, x, gradient) = (axis_of(call)?, call.input(0)?, call.gradient()?);
        // What is before an element, and what behind it, is so in the order of accumulation.
        let before = x.running_product(axis, true, self.reverse)?;
        let next = shifted(&x, axis, !self.reverse)?;
        let gradient = if self.exclusive { shifted(&gradient, axis, !self.reverse)? } else { gradient };
        let sums = apply(&Recurrence { axis, reverse: !self.reverse }, &[Some(&gradient), Some(&next)])?;
        Ok(before.mul(&sums)?.into())
    }
}
