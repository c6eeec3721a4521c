//! `ReduceProd`: `g` times the product of all other elements, made without a division, so that zeros do no harm.

use stratal_ops::ReduceProd;

use super::kept::{kept_shape, spread};
use super::rows::Rows;
use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for ReduceProd {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::inputs([0, 1])
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let kept = kept_shape(call, self.noop_with_empty_axes)?;
        let rows = Rows::of(call.shape(0), &kept);
        let x = rows.see(&call.input(0)?)?;
        let (before, after) = (x.products_aside(1, false)?, x.products_aside(1, true)?);
        let others = rows.back(&before.mul(&after)?)?;
        Ok(spread(&call.gradient()?, &kept, call)?.mul(&others)?.into())
    }
}
