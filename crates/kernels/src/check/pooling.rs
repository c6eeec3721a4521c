//! What pooling asks of its operands.

use stratal_tensor_base::{DType, Shape};

use super::{defined, fits};
use crate::pool::{PoolingError, Window};
use crate::{AnyView, AnyViewMut, KernelError};

pub(crate) fn max_pool(
    window: &Window,
    x: &AnyView<'_>,
    result: &AnyViewMut<'_>,
    indices: Option<&AnyViewMut<'_>>,
) -> Result<(), KernelError> {
    const NAME: &str = "max_pool";
    defined(NAME, x.dtype() != DType::Bool, x.dtype())?;
    let shape = pooled(NAME, window, x, result)?;
    match indices {
        Some(indices) => {
            index_dtype(NAME, indices.dtype())?;
            fits(NAME, "list of indices", &shape, indices.dtype(), indices.dtype(), indices.shape())
        }
        None => Ok(()),
    }
}

pub(crate) fn average_pool(window: &Window, x: &AnyView<'_>, result: &AnyViewMut<'_>) -> Result<(), KernelError> {
    const NAME: &str = "average_pool";
    defined(NAME, x.dtype().is_float(), x.dtype())?;
    pooled(NAME, window, x, result).map(drop)
}

pub(crate) fn lp_pool(
    window: &Window,
    power: i64,
    x: &AnyView<'_>,
    result: &AnyViewMut<'_>,
) -> Result<(), KernelError> {
    const NAME: &str = "lp_pool";
    defined(NAME, x.dtype().is_float(), x.dtype())?;
    if power < 1 {
        return Err(PoolingError::Power { power }.into());
    }
    pooled(NAME, window, x, result).map(drop)
}

pub(crate) fn max_unpool(x: &AnyView<'_>, indices: &AnyView<'_>, result: &AnyViewMut<'_>) -> Result<(), KernelError> {
    const NAME: &str = "max_unpool";
    index_dtype(NAME, indices.dtype())?;
    fits(NAME, "list of indices", x.shape(), indices.dtype(), indices.dtype(), indices.shape())?;
    fits(NAME, "result", result.shape(), x.dtype(), result.dtype(), result.shape())
}

/// The shape of the result, which must be there.
fn pooled(
    operation: &'static str,
    window: &Window,
    x: &AnyView<'_>,
    result: &AnyViewMut<'_>,
) -> Result<Shape, KernelError> {
    let shape = window.output_shape(x.shape())?;
    fits(operation, "result", &shape, x.dtype(), result.dtype(), result.shape())?;
    window.check_touches(x.shape(), &shape)?;
    Ok(shape)
}

fn index_dtype(operation: &'static str, found: DType) -> Result<(), KernelError> {
    match found {
        DType::I32 | DType::I64 => Ok(()),
        _ => Err(PoolingError::IndexDType { operation, found }.into()),
    }
}
