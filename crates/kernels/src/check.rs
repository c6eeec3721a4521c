//! What every backend asks of its operands before it writes anything.

use stratal_tensor_base::DType;

use crate::map::{Binary, Comparison, Predicate, Unary};
use crate::{AnyView, AnyViewMut, KernelError};

pub(crate) fn unary(operation: &dyn Unary, x: &AnyView<'_>, result: &AnyViewMut<'_>) -> Result<(), KernelError> {
    defined(operation.name(), operation.is_defined(x.dtype()), x.dtype())?;
    fits(operation.name(), "result", x, x.dtype(), &result.as_view())
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
    fits(operation.name(), "result", a, a.dtype(), &result.as_view())
}

pub(crate) fn binary_in_place(operation: &dyn Binary, a: &AnyView<'_>, b: &AnyView<'_>) -> Result<(), KernelError> {
    defined(operation.name(), operation.is_defined(a.dtype()), a.dtype())?;
    fits(operation.name(), "second operand", a, a.dtype(), b)
}

pub(crate) fn compare(
    operation: &dyn Comparison,
    a: &AnyView<'_>,
    b: &AnyView<'_>,
    result: &AnyViewMut<'_>,
) -> Result<(), KernelError> {
    fits(operation.name(), "second operand", a, a.dtype(), b)?;
    fits(operation.name(), "result", a, DType::Bool, &result.as_view())
}

pub(crate) fn test(operation: &dyn Predicate, x: &AnyView<'_>, result: &AnyViewMut<'_>) -> Result<(), KernelError> {
    defined(operation.name(), x.dtype().is_float(), x.dtype())?;
    fits(operation.name(), "result", x, DType::Bool, &result.as_view())
}

pub(crate) fn select(
    condition: &AnyView<'_>,
    then: &AnyView<'_>,
    otherwise: &AnyView<'_>,
    result: &AnyViewMut<'_>,
) -> Result<(), KernelError> {
    fits("where", "condition", then, DType::Bool, condition)?;
    fits("where", "second operand", then, then.dtype(), otherwise)?;
    fits("where", "result", then, then.dtype(), &result.as_view())
}

pub(crate) fn cast(x: &AnyView<'_>, result: &AnyViewMut<'_>) -> Result<(), KernelError> {
    fits("cast", "result", x, result.dtype(), &result.as_view())
}

pub(crate) fn copy(x: &AnyView<'_>, result: &AnyViewMut<'_>) -> Result<(), KernelError> {
    fits("copy", "result", x, x.dtype(), &result.as_view())
}

fn defined(operation: &'static str, is_defined: bool, dtype: DType) -> Result<(), KernelError> {
    if is_defined { Ok(()) } else { Err(KernelError::DType { operation, dtype }) }
}

/// Whether something has the dtype expected, and the shape of the first operand.
fn fits(
    operation: &'static str,
    role: &'static str,
    first: &AnyView<'_>,
    expected: DType,
    found: &AnyView<'_>,
) -> Result<(), KernelError> {
    if found.dtype() != expected {
        return Err(KernelError::DTypeMismatch { operation, role, expected, found: found.dtype() });
    }
    if found.shape() != first.shape() {
        let (expected, found) = (*first.shape(), *found.shape());
        return Err(KernelError::ShapeMismatch { operation, role, expected, found });
    }
    Ok(())
}
