//! What operations on rows ask of their operands. Each answers with the axes along the rows.

use stratal_tensor_base::{DType, MAX_RANK, Shape};

use super::{defined, fits};
use crate::normalize::computed;
use crate::reduce::{ArgReduction, Reduction};
use crate::rows::Along;
use crate::{AnyView, AnyViewMut, BatchNorm, KernelError, Normalization, Saved, Scan, Softmax};

pub(crate) fn reduce(
    operation: &dyn Reduction,
    x: &AnyView<'_>,
    result: &AnyViewMut<'_>,
) -> Result<Along, KernelError> {
    let (name, dtype) = (operation.name(), x.dtype());
    defined(name, operation.is_defined(dtype), dtype)?;
    if result.dtype() != dtype {
        return Err(KernelError::DTypeMismatch {
            operation: name,
            role: "result",
            expected: dtype,
            found: result.dtype(),
        });
    }
    let (shape, reduced) = (*x.shape(), *result.shape());
    let fits = |(extent, result): (&u32, &u32)| extent == result || *result == 1;
    if shape.rank() != reduced.rank() || !shape.extents().iter().zip(reduced.extents()).all(fits) {
        return Err(KernelError::ReducedShape { operation: name, shape, result: reduced });
    }
    let mut along = [false; MAX_RANK];
    for (axis, extent) in reduced.extents().iter().enumerate() {
        along[axis] = *extent == 1;
    }
    if operation.needs_elements(dtype) && shape.is_empty() && !reduced.is_empty() {
        return Err(KernelError::EmptyRows { operation: name, dtype, shape });
    }
    Ok(along)
}

pub(crate) fn arg_reduce(
    operation: ArgReduction,
    axis: usize,
    x: &AnyView<'_>,
    result: &AnyViewMut<'_>,
) -> Result<Along, KernelError> {
    let (name, dtype, shape) = (operation.name(), x.dtype(), *x.shape());
    defined(name, operation.is_defined(dtype), dtype)?;
    let along = one_axis(name, axis, &shape)?;
    if !matches!(result.dtype(), DType::I64 | DType::I32) {
        let (expected, found) = (DType::I64, result.dtype());
        return Err(KernelError::DTypeMismatch { operation: name, role: "result", expected, found });
    }
    if shape.extent(axis) == 0 {
        return Err(KernelError::EmptyRows { operation: name, dtype, shape });
    }
    reduced_shape(name, "result", &shape, &along, result.shape())?;
    Ok(along)
}

pub(crate) fn scan(
    operation: Scan,
    axis: usize,
    x: &AnyView<'_>,
    result: &AnyViewMut<'_>,
) -> Result<Along, KernelError> {
    defined(operation.name(), operation.is_defined(x.dtype()), x.dtype())?;
    let along = one_axis(operation.name(), axis, x.shape())?;
    fits(operation.name(), "result", x.shape(), x.dtype(), result.dtype(), result.shape())?;
    Ok(along)
}

pub(crate) fn softmax(operation: &Softmax, x: &AnyView<'_>, result: &AnyViewMut<'_>) -> Result<Along, KernelError> {
    let along = softmax_in_place(operation, x)?;
    fits(operation.name(), "result", x.shape(), x.dtype(), result.dtype(), result.shape())?;
    Ok(along)
}

pub(crate) fn softmax_in_place(operation: &Softmax, x: &AnyView<'_>) -> Result<Along, KernelError> {
    defined(operation.name(), x.dtype().is_float(), x.dtype())?;
    one_axis(operation.name(), operation.axis, x.shape())
}

pub(crate) fn normalize(
    operation: &Normalization<'_>,
    x: &AnyView<'_>,
    scale: Option<&AnyView<'_>>,
    bias: Option<&AnyView<'_>>,
    result: &AnyViewMut<'_>,
    saved: &Saved<'_, '_>,
) -> Result<Along, KernelError> {
    let (name, dtype, shape) = (operation.name(), x.dtype(), x.shape());
    defined(name, dtype.is_float(), dtype)?;
    let mut along = [false; MAX_RANK];
    for axis in operation.axes {
        along[checked_axis(name, *axis, shape)?] = true;
    }
    for (role, operand) in [("scale", scale), ("bias", bias)] {
        if let Some(operand) = operand {
            fits(name, role, shape, dtype, operand.dtype(), operand.shape())?;
        }
    }
    fits(name, "result", shape, dtype, result.dtype(), result.shape())?;
    let computed = computed(dtype);
    if let Some(normalized) = &saved.normalized {
        fits(name, "place for normalized rows", shape, computed, normalized.dtype(), normalized.shape())?;
    }
    let places = [
        ("place for means", &saved.mean),
        ("place for variances", &saved.variance),
        ("place for inverse deviations", &saved.inverse_deviation),
    ];
    for (role, place) in places {
        if let Some(place) = place {
            if place.dtype() != computed {
                let (expected, found) = (computed, place.dtype());
                return Err(KernelError::DTypeMismatch { operation: name, role, expected, found });
            }
            reduced_shape(name, role, shape, &along, place.shape())?;
        }
    }
    Ok(along)
}

pub(crate) fn batch_norm(x: &AnyView<'_>, by: [&AnyView<'_>; 4], result: &AnyViewMut<'_>) -> Result<(), KernelError> {
    let (name, dtype) = (BatchNorm::NAME, x.dtype());
    defined(name, dtype.is_float(), dtype)?;
    for (role, operand) in ["mean", "variance", "scale", "bias"].into_iter().zip(by) {
        fits(name, role, x.shape(), dtype, operand.dtype(), operand.shape())?;
    }
    fits(name, "result", x.shape(), dtype, result.dtype(), result.shape())
}

fn one_axis(operation: &'static str, axis: usize, shape: &Shape) -> Result<Along, KernelError> {
    let mut along = [false; MAX_RANK];
    along[checked_axis(operation, axis, shape)?] = true;
    Ok(along)
}

/// The axis, if the shape has it.
fn checked_axis(operation: &'static str, axis: usize, shape: &Shape) -> Result<usize, KernelError> {
    let rank = shape.rank();
    if axis < rank {
        Ok(axis)
    } else {
        Err(KernelError::Axis { operation, axis: i64::try_from(axis).unwrap_or(i64::MAX), rank })
    }
}

/// Whether a shape is the operand's with extent 1 along the rows.
fn reduced_shape(
    operation: &'static str,
    role: &'static str,
    shape: &Shape,
    along: &Along,
    found: &Shape,
) -> Result<(), KernelError> {
    let mut extents = [0_i64; MAX_RANK];
    for (axis, extent) in shape.extents().iter().enumerate() {
        extents[axis] = if along[axis] { 1 } else { (*extent).into() };
    }
    let expected = Shape::new(&extents[..shape.rank()])?;
    if *found == expected {
        Ok(())
    } else {
        Err(KernelError::ShapeMismatch { operation, role, expected, found: *found })
    }
}
