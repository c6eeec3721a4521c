//! The gradient of extreme elements: it goes to the one that was picked, the first of equal ones. A NaN that was picked gets it.

use stratal_ops::{OneHot, Operator};
use stratal_tensor::Tensor;
use stratal_tensor_base::Bool;

use super::kept::{kept_shape, spread};
use super::rows::Rows;
use crate::derivative::{Call, Gradients};
use crate::{EagerError, apply};

/// Which element of each row is picked is said by an operator: the one that [`picks_first`] is made of.
pub(crate) fn gradient_of_picked<O: Operator + Clone>(
    call: &Call<'_>,
    noop_with_empty_axes: bool,
    pick: &O,
) -> Result<Gradients, EagerError> {
    let shape = call.shape(0);
    if shape.count() == 0 {
        return Ok(call.zeros_like(0)?.into());
    }
    let kept = kept_shape(call, noop_with_empty_axes)?;
    let rows = Rows::of(shape, &kept);
    // Where elements are picked is constant wherever there is a gradient.
    let picked = apply(pick, &[Some(&rows.see(&call.input(0)?.detach())?)])?;
    let length = Tensor::scalar(rows.length)?.into();
    let values = Tensor::from_slice(&[Bool::FALSE, Bool::TRUE], &[2])?.into();
    let is_picked = apply(&OneHot { axis: -1 }, &[Some(&picked), Some(&length), Some(&values)])?;
    let gradient = spread(&call.gradient()?, &kept, call)?;
    Ok(rows.back(&is_picked)?.select_by(&gradient, &gradient.number(0.0)?)?.into())
}

macro_rules! picks_first {
    ($operator:ident by $pick:ident) => {
        impl $crate::derivative::Derivative for stratal_ops::$operator {
            fn saves(&self, _: &$crate::derivative::Need<'_>) -> $crate::derivative::Saves {
                $crate::derivative::Saves::inputs([0, 1])
            }

            fn backward(
                &self,
                call: &$crate::derivative::Call<'_>,
            ) -> Result<$crate::derivative::Gradients, $crate::EagerError> {
                let pick = stratal_ops::$pick { axis: -1, keeps_axis: false, tie: stratal_kernels::reduce::Tie::First };
                super::extreme::gradient_of_picked(call, self.noop_with_empty_axes, &pick)
            }
        }
    };
}
pub(crate) use picks_first;
