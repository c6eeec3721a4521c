//! What movement asks of its operands. Each function resolves axes as it checks them.

use stratal_tensor_base::{DType, Scalar, Shape};

use super::{defined, fits};
use crate::movement::put;
use crate::movement::{
    self, Padding, ScatterReduction, concat_shape, first_outside, gather_nd_shape, gather_shape, one_hot_shape,
    pad_shape, tile_shape,
};
use crate::{AnyView, AnyViewMut, KernelError};

pub(crate) fn concat(parts: &[AnyView<'_>], axis: i64, result: &AnyViewMut<'_>) -> Result<usize, KernelError> {
    let operation = "concat";
    let shape = concat_shape(parts.iter().map(|part| *part.shape()), axis)?;
    for part in parts {
        fits(operation, "part", part.shape(), parts[0].dtype(), part.dtype(), part.shape())?;
    }
    fits(operation, "result", &shape, parts[0].dtype(), result.dtype(), result.shape())?;
    movement::axis_of(operation, &shape, axis)
}

pub(crate) fn split(x: &AnyView<'_>, axis: i64, results: &[AnyViewMut<'_>]) -> Result<usize, KernelError> {
    let operation = "split";
    let axis = movement::axis_of(operation, x.shape(), axis)?;
    let (mut sum, extent) = (0_u64, x.shape().extent(axis));
    for result in results {
        let own = result.shape().extents().get(axis).copied().unwrap_or(0);
        sum += u64::from(own);
        let expected = movement::with_extent(x.shape(), axis, own.into())?;
        fits(operation, "result", &expected, x.dtype(), result.dtype(), result.shape())?;
    }
    if sum == extent as u64 { Ok(axis) } else { Err(KernelError::Parts { operation, sum, axis, extent }) }
}

pub(crate) fn tile(x: &AnyView<'_>, repeats: &[i64], result: &AnyViewMut<'_>) -> Result<(), KernelError> {
    fits("tile", "result", &tile_shape(x.shape(), repeats)?, x.dtype(), result.dtype(), result.shape())
}

pub(crate) fn pad(x: &AnyView<'_>, padding: &Padding<'_>, result: &AnyViewMut<'_>) -> Result<(), KernelError> {
    let shape = pad_shape(x.shape(), padding)?;
    if let movement::PadMode::Constant(value) = padding.mode {
        scalar("pad", "value", x.dtype(), value)?;
    }
    fits("pad", "result", &shape, x.dtype(), result.dtype(), result.shape())
}

pub(crate) fn gather(
    x: &AnyView<'_>,
    indices: &AnyView<'_>,
    axis: i64,
    result: &AnyViewMut<'_>,
) -> Result<usize, KernelError> {
    let operation = "gather";
    let shape = gather_shape(x.shape(), indices.shape(), axis)?;
    are_indices(operation, "indices", indices)?;
    fits(operation, "result", &shape, x.dtype(), result.dtype(), result.shape())?;
    let axis = movement::axis_of(operation, x.shape(), axis)?;
    are_inside(operation, indices, axis, x.shape())?;
    Ok(axis)
}

pub(crate) fn gather_elements(
    x: &AnyView<'_>,
    indices: &AnyView<'_>,
    axis: i64,
    result: &AnyViewMut<'_>,
) -> Result<usize, KernelError> {
    let operation = "gather_elements";
    let axis = elements(operation, x.shape(), indices, axis)?;
    fits(operation, "result", indices.shape(), x.dtype(), result.dtype(), result.shape())?;
    are_inside(operation, indices, axis, x.shape())?;
    Ok(axis)
}

pub(crate) fn gather_nd(
    x: &AnyView<'_>,
    indices: &AnyView<'_>,
    batch_axes: usize,
    result: &AnyViewMut<'_>,
) -> Result<(), KernelError> {
    let operation = "gather_nd";
    let shape = gather_nd_shape(x.shape(), indices.shape(), batch_axes)?;
    are_indices(operation, "indices", indices)?;
    fits(operation, "result", &shape, x.dtype(), result.dtype(), result.shape())?;
    coordinates_are_inside(operation, indices, batch_axes, x.shape())
}

pub(crate) fn scatter_elements(
    x: &AnyView<'_>,
    indices: &AnyView<'_>,
    updates: &AnyView<'_>,
    axis: i64,
    reduction: ScatterReduction,
) -> Result<usize, KernelError> {
    let operation = "scatter_elements";
    let axis = elements(operation, x.shape(), indices, axis)?;
    fits(operation, "tensor of updates", indices.shape(), x.dtype(), updates.dtype(), updates.shape())?;
    reduces(operation, reduction, x.dtype())?;
    are_inside(operation, indices, axis, x.shape())?;
    Ok(axis)
}

pub(crate) fn scatter_nd(
    x: &AnyView<'_>,
    indices: &AnyView<'_>,
    updates: &AnyView<'_>,
    reduction: ScatterReduction,
) -> Result<(), KernelError> {
    let operation = "scatter_nd";
    let (positions, coordinates) = movement::coordinates(operation, x.shape(), indices.shape(), 0)?;
    are_indices(operation, "indices", indices)?;
    let extents: Vec<usize> =
        positions.iter().chain(&x.shape().extents()[coordinates..]).map(|extent| *extent as usize).collect();
    let shape = Shape::try_from(&extents[..])?;
    fits(operation, "tensor of updates", &shape, x.dtype(), updates.dtype(), updates.shape())?;
    reduces(operation, reduction, x.dtype())?;
    coordinates_are_inside(operation, indices, 0, x.shape())
}

/// The result of an operation that starts with a copy.
pub(crate) fn result_of(operation: &'static str, x: &AnyView<'_>, result: &AnyViewMut<'_>) -> Result<(), KernelError> {
    fits(operation, "result", x.shape(), x.dtype(), result.dtype(), result.shape())
}

pub(crate) fn one_hot(
    indices: &AnyView<'_>,
    depth: i64,
    axis: i64,
    [off, on]: [Scalar; 2],
    result: &AnyViewMut<'_>,
) -> Result<usize, KernelError> {
    let operation = "one_hot";
    let shape = one_hot_shape(indices.shape(), depth, axis)?;
    are_indices(operation, "indices", indices)?;
    scalar(operation, "value for off", result.dtype(), off)?;
    scalar(operation, "value for on", result.dtype(), on)?;
    fits(operation, "result", &shape, result.dtype(), result.dtype(), result.shape())?;
    movement::new_axis_of(operation, indices.shape(), axis)
}

pub(crate) fn triangular(x: &AnyView<'_>, result: &AnyViewMut<'_>) -> Result<(), KernelError> {
    let operation = "triangular";
    if x.shape().rank() < 2 {
        return Err(KernelError::RankTooSmall { operation, role: "matrix", least: 2, found: *x.shape() });
    }
    result_of(operation, x, result)
}

pub(crate) fn non_zero(x: &AnyView<'_>, count: usize, result: &AnyViewMut<'_>) -> Result<(), KernelError> {
    let shape = Shape::new(&[x.shape().rank() as i64, count as i64])?;
    fits("non_zero", "result", &shape, DType::I64, result.dtype(), result.shape())
}

/// The axis, if there is one.
pub(crate) fn compress(
    x: &AnyView<'_>,
    condition: &AnyView<'_>,
    axis: Option<i64>,
    result: &AnyViewMut<'_>,
) -> Result<Option<usize>, KernelError> {
    let operation = "compress";
    let axis = axis.map(|axis| movement::axis_of(operation, x.shape(), axis)).transpose()?;
    vector(operation, "a condition", condition)?;
    fits(operation, "condition", condition.shape(), DType::Bool, condition.dtype(), condition.shape())?;
    let extent = axis.map_or(x.shape().count(), |axis| x.shape().extent(axis));
    if condition.shape().count() > extent {
        return Err(KernelError::ConditionTooLong { operation, condition: condition.shape().count(), extent });
    }
    let chosen = movement::non_zero::count(condition) as i64;
    let shape = match axis {
        Some(axis) => movement::with_extent(x.shape(), axis, chosen)?,
        None => Shape::new(&[chosen])?,
    };
    fits(operation, "result", &shape, x.dtype(), result.dtype(), result.shape())?;
    Ok(axis)
}

/// The axis of the batch and that of time.
pub(crate) fn reverse_sequence(
    x: &AnyView<'_>,
    lengths: &AnyView<'_>,
    batch_axis: i64,
    time_axis: i64,
    result: &AnyViewMut<'_>,
) -> Result<(usize, usize), KernelError> {
    let operation = "reverse_sequence";
    let batch = movement::axis_of(operation, x.shape(), batch_axis)?;
    let axis = movement::axis_of(operation, x.shape(), time_axis)?;
    if batch == axis {
        return Err(KernelError::SameAxis { operation, axis, first: "batch", second: "time" });
    }
    are_indices(operation, "lengths", lengths)?;
    let expected = Shape::new(&[x.shape().extent(batch) as i64])?;
    fits(operation, "list of lengths", &expected, lengths.dtype(), lengths.dtype(), lengths.shape())?;
    result_of(operation, x, result)?;
    let extent = x.shape().extent(axis);
    for (sequence, offset) in lengths.geometry().offsets().enumerate() {
        let length = match lengths.dtype() {
            DType::I32 => lengths.elements::<i32>()[offset].into(),
            _ => lengths.elements::<i64>()[offset],
        };
        if !(0..=extent as i64).contains(&length) {
            return Err(KernelError::SequenceLength { operation, sequence, length, axis, extent });
        }
    }
    Ok((batch, axis))
}

/// What operations on single elements ask of an operand and indices of one rank. Indices reach as far as the operand along
/// all axes but the one they count along.
fn elements(operation: &'static str, x: &Shape, indices: &AnyView<'_>, axis: i64) -> Result<usize, KernelError> {
    let axis = movement::axis_of(operation, x, axis)?;
    are_indices(operation, "indices", indices)?;
    let found = *indices.shape();
    if found.rank() != x.rank() {
        return Err(KernelError::Rank { operation, role: "indices", expected: x.rank(), found });
    }
    let own = found.extent(axis);
    let fits = movement::without(x.extents(), axis).zip(movement::without(found.extents(), axis));
    if fits.into_iter().any(|(most, extent)| extent > most) {
        let expected = movement::with_extent(x, axis, own as i64).unwrap_or(*x);
        return Err(KernelError::ShapeMismatch { operation, role: "tensor of indices", expected, found });
    }
    Ok(axis)
}

fn are_indices(operation: &'static str, role: &'static str, indices: &AnyView<'_>) -> Result<(), KernelError> {
    match indices.dtype() {
        DType::I32 | DType::I64 => Ok(()),
        found => Err(KernelError::IndexDType { operation, role, found }),
    }
}

fn vector(operation: &'static str, role: &'static str, x: &AnyView<'_>) -> Result<(), KernelError> {
    match x.shape().rank() {
        1 => Ok(()),
        _ => Err(KernelError::Rank { operation, role, expected: 1, found: *x.shape() }),
    }
}

fn are_inside(operation: &'static str, indices: &AnyView<'_>, axis: usize, x: &Shape) -> Result<(), KernelError> {
    let extent = x.extent(axis);
    match first_outside(indices, extent) {
        Some(index) => Err(KernelError::Index { operation, index, axis, extent }),
        None => Ok(()),
    }
}

/// Each coordinate along the indices' last axis, against its own axis.
fn coordinates_are_inside(
    operation: &'static str,
    indices: &AnyView<'_>,
    batch_axes: usize,
    x: &Shape,
) -> Result<(), KernelError> {
    let last = indices.shape().rank() - 1;
    for coordinate in 0..indices.shape().extent(last) {
        let geometry = movement::narrowed(indices.geometry(), last, coordinate, 1);
        are_inside(operation, &indices.with_geometry(geometry), batch_axes + coordinate, x)?;
    }
    Ok(())
}

fn scalar(operation: &'static str, role: &'static str, expected: DType, value: Scalar) -> Result<(), KernelError> {
    let found = value.dtype();
    if found == expected { Ok(()) } else { Err(KernelError::DTypeMismatch { operation, role, expected, found }) }
}

fn reduces(operation: &'static str, reduction: ScatterReduction, dtype: DType) -> Result<(), KernelError> {
    match put::operation(reduction) {
        Some(map) => defined(operation, map.is_defined(dtype), dtype),
        None => Ok(()),
    }
}
