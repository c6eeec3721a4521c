//! `MaxUnpool`: each element has the gradient of where it was put, unless a later one was put there too.

use stratal_ops::MaxUnpool;
use stratal_tensor::Tensor;
use stratal_tensor_base::{DType, Shape};

use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::views::extents;
use crate::{EagerError, Var};

impl Derivative for MaxUnpool {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::input(1)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let mut images = call.gradient()?;
        let unpooled = unpooled(self, call.shape(0));
        for (axis, &extent) in unpooled.iter().enumerate() {
            if images.shape().extent(axis) as i64 > extent {
                images = images.narrow(axis as i64, 0, extent)?;
            }
        }
        let indices = call.input(1)?.cast(DType::I64)?;
        Ok(images.taken_at(&last_ones(&indices, images.shape().count())?)?.into())
    }
}

/// The extents of the images that indices count through: those that windows reach over.
fn unpooled(operator: &MaxUnpool, x: &Shape) -> Vec<i64> {
    let axes = operator.kernel.len();
    let or = |list: &[i64], axis: usize, default: i64| list.get(axis).copied().unwrap_or(default);
    let extent = |(axis, extent): (usize, &u32)| match axis.checked_sub(2) {
        None => i64::from(*extent),
        Some(axis) => {
            let reached = (i64::from(*extent) - 1) * or(&operator.strides, axis, 1) + operator.kernel[axis];
            reached - or(&operator.pads, axis, 0) - or(&operator.pads, axes + axis, 0)
        }
    };
    x.extents().iter().enumerate().map(extent).collect()
}

/// The indices, with -1 in place of those that come again later.
fn last_ones(indices: &Var, count: usize) -> Result<Var, EagerError> {
    let mut kept = indices.to_vec::<i64>()?;
    let mut is_there = vec![false; count];
    for index in kept.iter_mut().rev() {
        let place = usize::try_from(*index).ok().and_then(|index| is_there.get_mut(index));
        if place.is_none_or(|is_there| std::mem::replace(is_there, true)) {
            *index = -1;
        }
    }
    Ok(Tensor::from_vec(kept, &extents(indices.shape()))?.into())
}
