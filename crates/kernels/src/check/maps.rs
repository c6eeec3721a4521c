//! What maps ask of their operands.

use stratal_tensor_base::DType;

use super::{defined, fits};
use crate::map::{Binary, Comparison, Predicate, Unary};
use crate::{AnyView, AnyViewMut, KernelError};

pub(crate) fn unary(operation: &dyn Unary, x: &AnyView<'_>, result: &AnyViewMut<'_>) -> Result<(), KernelError> {
    defined(operation.name(), operation.is_defined(x.dtype()), x.dtype())?;
    fits(operation.name(), "result", x.shape(), x.dtype(), result.dtype(), result.shape())
}

pub(crate) fn unary_in_place(operation: &dyn Unary, x: &AnyViewMut<'_>) -> Result<(), KernelError> {
    defined(operation.name(), operation.is_defined(x.dtype()), x.dtype())
}

pub(crate) fn binary(
    operation: &dyn Binary,
    a: &AnyView<'_>,
    b: &AnyView<'_>,
    result: &AnyViewMut<'_>,
) -> Result<(), KernelError> {
    binary_in_place(operation, a, b)?;
    fits(operation.name(), "result", a.shape(), a.dtype(), result.dtype(), result.shape())
}

pub(crate) fn binary_in_place(operation: &dyn Binary, a: &AnyView<'_>, b: &AnyView<'_>) -> Result<(), KernelError> {
    defined(operation.name(), operation.is_defined(a.dtype()), a.dtype())?;
    fits(operation.name(), "second operand", a.shape(), a.dtype(), b.dtype(), b.shape())
}

pub(crate) fn compare(
    operation: &dyn Comparison,
    a: &AnyView<'_>,
    b: &AnyView<'_>,
    result: &AnyViewMut<'_>,
) -> Result<(), KernelError> {
    fits(operation.name(), "second operand", a.shape(), a.dtype(), b.dtype(), b.shape())?;
    fits(operation.name(), "result", a.shape(), DType::Bool, result.dtype(), result.shape())
}

pub(crate) fn test(operation: &dyn Predicate, x: &AnyView<'_>, result: &AnyViewMut<'_>) -> Result<(), KernelError> {
    defined(operation.name(), x.dtype().is_float(), x.dtype())?;
    fits(operation.name(), "result", x.shape(), DType::Bool, result.dtype(), result.shape())
}

pub(crate) fn select(
    condition: &AnyView<'_>,
    then: &AnyView<'_>,
    otherwise: &AnyView<'_>,
    result: &AnyViewMut<'_>,
) -> Result<(), KernelError> {
    fits("where", "condition", then.shape(), DType::Bool, condition.dtype(), condition.shape())?;
    fits("where", "second operand", then.shape(), then.dtype(), otherwise.dtype(), otherwise.shape())?;
    fits("where", "result", then.shape(), then.dtype(), result.dtype(), result.shape())
}

pub(crate) fn cast(x: &AnyView<'_>, result: &AnyViewMut<'_>) -> Result<(), KernelError> {
    fits("cast", "result", x.shape(), result.dtype(), result.dtype(), result.shape())
}

pub(crate) fn copy(x: &AnyView<'_>, result: &AnyViewMut<'_>) -> Result<(), KernelError> {
    fits("copy", "result", x.shape(), x.dtype(), result.dtype(), result.shape())
}
