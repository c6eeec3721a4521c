//! `Pad`: the gradient without what was added. What was added from the operand's own elements has its gradient added to
//! theirs; the constant has the sum of the gradients of all that it is in.

use stratal_ops::{Pad, PadMode};
use stratal_tensor::Tensor;
use stratal_tensor_base::{Bool, DType};

use super::cropped::without_pads;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::private::places;
use crate::views::extents;
use crate::{EagerError, Var, apply};

impl Derivative for Pad {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::inputs([1, 3])
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let (gradient, shape) = (call.gradient()?, call.shape(0));
        let (pads, axes) = (call.input(1)?, call.is_given(3).then(|| call.input(3)).transpose()?);
        let x = call.wanted(0, || {
            if self.mode == PadMode::Constant {
                let [before, after] = pads_of_axes(call)?;
                return without_pads(&gradient, &before, &after);
            }
            let sources = apply(self, &[Some(&places(shape)?), Some(&pads), None, axes.as_ref()])?;
            gradient.added_at(&sources, shape)
        })?;
        let constant = call.wanted(2, || {
            let zero = gradient.number(0.0)?;
            if self.mode != PadMode::Constant {
                return call.zeros_like(2);
            }
            let own = Var::constant(Tensor::zeros(&extents(shape), DType::Bool)?);
            let added = Var::constant(Tensor::scalar(Bool::TRUE)?);
            let is_added = apply(self, &[Some(&own), Some(&pads), Some(&added), axes.as_ref()])?;
            is_added.select_by(&gradient, &zero)?.sum(&[], false)?.reshape_to(call.shape(2))
        })?;
        Ok([x, None, constant].into())
    }
}

/// What is added before each axis, and after each.
fn pads_of_axes(call: &Call<'_>) -> Result<[Vec<i64>; 2], EagerError> {
    let shape = call.shape(0);
    let pads = call.integers(1)?.unwrap_or_default();
    let axes = call.integers(3)?.unwrap_or_else(|| (0..shape.rank() as i64).collect());
    let mut of_axes = [vec![0; shape.rank()], vec![0; shape.rank()]];
    for (position, &axis) in axes.iter().enumerate() {
        let axis = shape.axis(axis)?;
        of_axes[0][axis] = pads[position];
        of_axes[1][axis] = pads[position + axes.len()];
    }
    Ok(of_axes)
}
