//! What sorting asks of its operands.

use stratal_tensor_base::DType;

use super::{defined, fits};
use crate::sort::{Sort, TopK, axis_of};
use crate::{AnyView, AnyViewMut, KernelError};

/// Checks a sort, and gives its axis.
pub(crate) fn sort(
    sort: &Sort,
    x: &AnyView<'_>,
    values: &AnyViewMut<'_>,
    indices: &AnyViewMut<'_>,
) -> Result<usize, KernelError> {
    const NAME: &str = "sort";
    defined(NAME, x.dtype() != DType::Bool, x.dtype())?;
    let axis = axis_of(x.shape(), sort.axis)?;
    fits(NAME, "result", x.shape(), x.dtype(), values.dtype(), values.shape())?;
    fits(NAME, "list of indices", x.shape(), DType::I64, indices.dtype(), indices.shape())?;
    Ok(axis)
}

/// Checks a selection, and gives its axis.
pub(crate) fn top_k(
    top: &TopK,
    x: &AnyView<'_>,
    values: &AnyViewMut<'_>,
    indices: &AnyViewMut<'_>,
) -> Result<usize, KernelError> {
    const NAME: &str = "top_k";
    defined(NAME, x.dtype() != DType::Bool, x.dtype())?;
    let shape = top.output_shape(x.shape())?;
    fits(NAME, "result", &shape, x.dtype(), values.dtype(), values.shape())?;
    fits(NAME, "list of indices", &shape, DType::I64, indices.dtype(), indices.shape())?;
    Ok(axis_of(x.shape(), top.axis)?)
}
