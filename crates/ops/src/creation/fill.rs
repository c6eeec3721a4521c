//! Writing elements that come from no operand.

use stratal_kernels::{AnyView, AnyViewMut};
use stratal_tensor::View;
use stratal_tensor_base::{Element, Geometry, Scalar, Shape, match_dtype};

use crate::operands::unfit;
use crate::{Cause, Context};

/// Writes one value of the result's dtype to all elements.
pub(crate) fn fill(context: &Context<'_>, value: Scalar, result: &mut AnyViewMut<'_>) -> Result<(), Cause> {
    match_dtype!(result.dtype(), T => {
        let value = [value.cast::<T>()];
        let value = AnyView::from(View::new(&value, Geometry::contiguous(Shape::SCALAR))?);
        let value = value.seen(|geometry| Ok::<_, Cause>(geometry.broadcast_to(result.shape())?))?;
        Ok(context.kernels().copy(&value, result)?)
    })
}

/// Writes a function of the position to all elements, in row-major order. Another dtype is an error.
pub(crate) fn fill_with<T: Element>(
    result: &mut AnyViewMut<'_>,
    mut element: impl FnMut(usize) -> T,
) -> Result<(), Cause> {
    let unfit = unfit(result.dtype(), result.shape());
    let Some(mut view) = result.typed::<T>() else { return Err(unfit) };
    let geometry = *view.geometry();
    let elements = view.elements_mut();
    for (position, offset) in geometry.offsets().enumerate() {
        elements[offset] = element(position);
    }
    Ok(())
}
