//! Which axes a reduction took, and its result with those axes kept.

use stratal_tensor_base::Shape;

use crate::EagerError;
use crate::Var;
use crate::derivative::Call;
use crate::views::extents;

/// The shape of the first input, with extent 1 along each axis that was reduced.
///
/// Axes are read from the second input, which must have been saved if it was given.
pub(crate) fn kept_shape(call: &Call<'_>, noop_with_empty_axes: bool) -> Result<Shape, EagerError> {
    let shape = call.shape(0);
    let axes = if call.is_given(1) {
        call.input(1)?.cast(stratal_tensor_base::DType::I64)?.to_vec::<i64>()?
    } else {
        Vec::new()
    };
    if axes.is_empty() && !noop_with_empty_axes {
        return with_extents_of_one(shape, &(0..shape.rank() as i64).collect::<Vec<_>>());
    }
    with_extents_of_one(shape, &axes)
}

/// A shape with extent 1 along these axes.
pub(crate) fn with_extents_of_one(shape: &Shape, axes: &[i64]) -> Result<Shape, EagerError> {
    let mut kept = extents(shape);
    for &axis in axes {
        kept[shape.axis(axis)?] = 1;
    }
    Ok(Shape::new(&kept)?)
}

/// A variable of the result's shape, with the axes that were reduced, expanded to the first input.
pub(crate) fn spread(var: &Var, kept: &Shape, call: &Call<'_>) -> Result<Var, EagerError> {
    var.reshape_to(kept)?.expand_to(call.shape(0))
}
