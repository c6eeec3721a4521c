//! `Tile`: the gradients of all repetitions, added up.

use stratal_ops::Tile;
use stratal_tensor_base::Shape;

use crate::derivative::{Call, Derivative, Gradients};
use crate::views::extents;
use crate::{EagerError, Var};

impl Derivative for Tile {
    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let gradient = call.gradient()?;
        if gradient.shape().is_empty() {
            return Ok(call.zeros_like(0)?.into());
        }
        let shape = call.shape(0);
        Ok((0..shape.rank()).try_fold(gradient, |gradient, axis| folded(gradient, axis, shape))?.into())
    }
}

/// The sum of all repetitions along an axis.
fn folded(gradient: Var, axis: usize, shape: &Shape) -> Result<Var, EagerError> {
    let mut kept = extents(gradient.shape());
    let length = shape.extent(axis) as i64;
    let repeats = kept[axis] / length;
    if repeats == 1 {
        return Ok(gradient);
    }
    let (before, after) = (kept[..axis].iter().product(), kept[axis + 1..].iter().product::<i64>());
    kept[axis] = length;
    gradient.reshape(&[before, repeats, length * after])?.sum(&[1], false)?.reshape(&kept)
}
