//! Operands that kernels are to be given: numbers in every place, and elements of another dtype.

use stratal_kernels::AnyView;
use stratal_tensor::View;
use stratal_tensor_base::{DType, Geometry, Scalar, Shape, match_dtype};

use crate::{Cause, Context, read};

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
