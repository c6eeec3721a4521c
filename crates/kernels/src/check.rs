//! What every backend asks of its operands before it writes anything.

pub(crate) mod convolutions;
pub(crate) mod maps;
pub(crate) mod movement;
pub(crate) mod pooling;
pub(crate) mod products;
pub(crate) mod reductions;
pub(crate) mod resize;
pub(crate) mod sorting;

use stratal_tensor_base::{DType, Shape};

use crate::KernelError;

/// Whether the operation is defined for a dtype.
fn defined(operation: &'static str, is_defined: bool, dtype: DType) -> Result<(), KernelError> {
    if is_defined { Ok(()) } else { Err(KernelError::DType { operation, dtype }) }
}

/// Whether something has the dtype expected, and the shape of the first operand.
fn fits(
    operation: &'static str,
    role: &'static str,
    shape: &Shape,
    expected: DType,
    dtype: DType,
    found: &Shape,
) -> Result<(), KernelError> {
    same_dtype(operation, role, expected, dtype)?;
    if found != shape {
        return Err(KernelError::ShapeMismatch { operation, role, expected: *shape, found: *found });
    }
    Ok(())
}

/// Whether something has the dtype expected.
fn same_dtype(operation: &'static str, role: &'static str, expected: DType, found: DType) -> Result<(), KernelError> {
    if found == expected { Ok(()) } else { Err(KernelError::DTypeMismatch { operation, role, expected, found }) }
}
