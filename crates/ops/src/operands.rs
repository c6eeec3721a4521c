//! Operands that kernels are to be given: numbers in every place, and elements of another dtype.

use stratal_kernels::AnyView;
use stratal_tensor::{Tensor, View};
use stratal_tensor_base::{DType, Geometry, Scalar, Shape, match_dtype};

use crate::{Cause, Context, Place, read, write};

/// Calls with a number in every place of a shape.
pub(crate) fn with_number<R>(
    dtype: DType,
    number: f64,
    shape: &Shape,
    work: impl FnOnce(&AnyView<'_>) -> Result<R, Cause>,
) -> Result<R, Cause> {
    match_dtype!(dtype, T => {
        let number: T = Scalar::from(number).cast();
        let number = [number];
        let view = AnyView::from(View::new(&number, Geometry::contiguous(Shape::SCALAR))?);
        work(&view.seen(|geometry| Ok::<_, Cause>(geometry.broadcast_to(shape)?))?)
    })
}

/// Calls with the elements in a dtype, copied if they are of another one.
pub(crate) fn in_dtype<R>(
    context: &Context<'_>,
    view: &AnyView<'_>,
    dtype: DType,
    work: impl FnOnce(&AnyView<'_>) -> Result<R, Cause>,
) -> Result<R, Cause> {
    if view.dtype() == dtype {
        return work(view);
    }
    let converted = context.converted(view, dtype)?;
    work(&read(&converted)?.view()?)
}

/// An operand in a shape that it broadcasts to.
pub(crate) fn broadcast<'a>(view: &AnyView<'a>, shape: &Shape) -> Result<AnyView<'a>, Cause> {
    view.seen(|geometry| Ok(geometry.broadcast_to(shape)?))
}

/// An operand or a result that computing cannot use, though its rule should have refused it.
pub(crate) fn unfit(dtype: DType, shape: &Shape) -> Cause {
    Cause::Unfit(format!("cannot compute with {dtype} of shape {shape}"))
}

/// Holds a tensor to be written, for longer than a call of [`write`](crate::write).
pub(crate) fn held(tensor: &Tensor) -> Result<Place<'_>, Cause> {
    Ok(Place::New(tensor.storage_mut()?, tensor.dtype(), *tensor.geometry()?))
}

/// Scratch space of zeros.
pub(crate) fn zeros(context: &Context<'_>, dtype: DType, shape: &Shape) -> Result<Tensor, Cause> {
    let zeros = context.scratch(dtype, shape)?;
    with_number(dtype, 0.0, shape, |zero| write(&zeros, |zeros| context.kernels().copy(zero, zeros)))?;
    Ok(zeros)
}
