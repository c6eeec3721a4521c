//! The shapes of results: whoever calls allocates them, and the kernels check them by the same rules.

use stratal_tensor_base::{Geometry, MAX_RANK, Shape};

use super::{PadMode, Padding};
use crate::KernelError;

/// The shape of the concatenation of parts, which may differ along the axis only.
///
/// # Errors
/// [`KernelError::NoOperands`], [`KernelError::Axis`], [`KernelError::ShapeMismatch`] naming the first part that does not
/// fit, and [`KernelError::Shape`] for a sum beyond the limits.
pub fn concat_shape(parts: impl IntoIterator<Item = Shape>, axis: i64) -> Result<Shape, KernelError> {
    let operation = "concat";
    let mut parts = parts.into_iter();
    let first = parts.next().ok_or(KernelError::NoOperands { operation })?;
    let axis = axis_of(operation, &first, axis)?;
    let mut extent = first.extent(axis) as i64;
    for found in parts {
        let own = found.extents().get(axis).map_or(0, |extent| i64::from(*extent));
        let expected = with_extent(&first, axis, own).unwrap_or(first);
        if found != expected {
            return Err(KernelError::ShapeMismatch { operation, role: "part", expected, found });
        }
        extent = extent.saturating_add(own);
    }
    with_extent(&first, axis, extent)
}

/// The shape of an operand repeated along each axis.
///
/// # Errors
/// [`KernelError::ListLength`] unless there is one repeat an axis, [`KernelError::Negative`], and [`KernelError::Shape`] for
/// a result beyond the limits.
pub fn tile_shape(x: &Shape, repeats: &[i64]) -> Result<Shape, KernelError> {
    let operation = "tile";
    list_length(operation, "repeats", x, repeats.len())?;
    if let Some(value) = repeats.iter().copied().find(|repeat| *repeat < 0) {
        return Err(KernelError::Negative { operation, attribute: "repeat", value });
    }
    let extents = x.extents().iter().zip(repeats);
    shape(extents.map(|(extent, repeat)| repeat.saturating_mul((*extent).into())))
}

/// The shape of a padded operand.
///
/// # Errors
/// [`KernelError::ListLength`] unless there is one number an axis, [`KernelError::Padding`] when an axis cannot be extended
/// so far by the mode, and [`KernelError::Shape`] for a result beyond the limits, as when more is cut off than there is.
pub fn pad_shape(x: &Shape, padding: &Padding<'_>) -> Result<Shape, KernelError> {
    let operation = "pad";
    list_length(operation, "pads before", x, padding.before.len())?;
    list_length(operation, "pads after", x, padding.after.len())?;
    let pads = padding.before.iter().copied().zip(padding.after.iter().copied());
    for (axis, (before, after)) in pads.clone().enumerate() {
        let extent = x.extent(axis);
        // What is left when the axis was cut, at least 0 where it is used below.
        let left = (extent as i64).saturating_add(before.min(0)).saturating_add(after.min(0));
        let most = match padding.mode {
            PadMode::Constant(_) => i64::MAX,
            PadMode::Reflect => left.saturating_sub(1).max(0),
            PadMode::Edge | PadMode::Wrap if left > 0 => i64::MAX,
            PadMode::Edge | PadMode::Wrap => 0,
        };
        if before > most || after > most {
            let mode = padding.mode.name();
            return Err(KernelError::Padding { operation, mode, before, after, axis, extent });
        }
    }
    shape(x.extents().iter().zip(pads).map(|(extent, (before, after))| {
        let sum = i128::from(*extent) + i128::from(before) + i128::from(after);
        sum.clamp(i64::MIN.into(), i64::MAX.into()) as i64
    }))
}

/// The shape of slices gathered along an axis: the indices' axes stand in its place.
///
/// # Errors
/// [`KernelError::Axis`], and [`KernelError::Shape`] for a result beyond the limits.
pub fn gather_shape(x: &Shape, indices: &Shape, axis: i64) -> Result<Shape, KernelError> {
    let axis = axis_of("gather", x, axis)?;
    let (before, after) = (&x.extents()[..axis], &x.extents()[axis + 1..]);
    shape(before.iter().chain(indices.extents()).chain(after).map(|extent| i64::from(*extent)))
}

/// The shape of slices gathered by tuples of coordinates, which lie along the indices' last axis.
///
/// # Errors
/// [`KernelError::RankTooSmall`] for scalars, [`KernelError::Coordinates`] when there are none, or more than axes behind the
/// batch axes, [`KernelError::ShapeMismatch`] when batch axes differ, and [`KernelError::Shape`].
pub fn gather_nd_shape(x: &Shape, indices: &Shape, batch_axes: usize) -> Result<Shape, KernelError> {
    let (positions, coordinates) = coordinates("gather_nd", x, indices, batch_axes)?;
    let rest = &x.extents()[batch_axes + coordinates..];
    shape(positions.iter().chain(rest).map(|extent| i64::from(*extent)))
}

/// The shape of one-hot rows: the indices' with an axis of the depth put in.
///
/// # Errors
/// [`KernelError::Axis`], and [`KernelError::Shape`] for a depth that is negative or a result beyond the limits.
pub fn one_hot_shape(indices: &Shape, depth: i64, axis: i64) -> Result<Shape, KernelError> {
    let axis = new_axis_of("one_hot", indices, axis)?;
    let (before, after) = indices.extents().split_at(axis);
    let widen = |extent: &u32| i64::from(*extent);
    shape(before.iter().map(widen).chain([depth]).chain(after.iter().map(widen)))
}

/// The indices' extents without the last, and how many coordinates that one holds.
pub(crate) fn coordinates<'a>(
    operation: &'static str,
    x: &Shape,
    indices: &'a Shape,
    batch_axes: usize,
) -> Result<(&'a [u32], usize), KernelError> {
    let Some((coordinates, positions)) = indices.extents().split_last() else {
        return Err(KernelError::RankTooSmall { operation, role: "tensor of indices", least: 1, found: *indices });
    };
    let coordinates = *coordinates as usize;
    let is_within =
        batch_axes <= positions.len() && coordinates >= 1 && coordinates <= x.rank().saturating_sub(batch_axes);
    if !is_within {
        return Err(KernelError::Coordinates { operation, indices: *indices, shape: *x, batch_axes });
    }
    if positions[..batch_axes] != x.extents()[..batch_axes] {
        let own = positions[..batch_axes].iter().map(|extent| i64::from(*extent));
        let found = shape(own)?;
        let expected = shape(x.extents()[..batch_axes].iter().map(|extent| i64::from(*extent)))?;
        return Err(KernelError::ShapeMismatch { operation, role: "batch", expected, found });
    }
    Ok((positions, coordinates))
}

/// An axis that may count from the end.
pub(crate) fn axis_of(operation: &'static str, x: &Shape, axis: i64) -> Result<usize, KernelError> {
    x.axis(axis).map_err(|_| KernelError::Axis { operation, axis, rank: x.rank() })
}

/// The place of an axis that is put in.
pub(crate) fn new_axis_of(operation: &'static str, x: &Shape, axis: i64) -> Result<usize, KernelError> {
    let rank = x.rank() + 1;
    let wrapped = if axis < 0 { axis.saturating_add(rank as i64) } else { axis };
    usize::try_from(wrapped).ok().filter(|axis| *axis < rank).ok_or(KernelError::Axis { operation, axis, rank })
}

/// The shape with another extent along one axis.
pub(crate) fn with_extent(x: &Shape, axis: usize, extent: i64) -> Result<Shape, KernelError> {
    let extents = x.extents().iter().enumerate();
    shape(extents.map(|(position, own)| if position == axis { extent } else { (*own).into() }))
}

/// Some elements of an axis, which has them.
pub(crate) fn narrowed(geometry: &Geometry, axis: usize, start: usize, length: usize) -> Geometry {
    // What lies inside is never refused.
    geometry.narrow(axis as i64, start as i64, length as i64).unwrap_or(*geometry)
}

/// A list without one of its entries.
pub(crate) fn without<T: Copy>(list: &[T], axis: usize) -> impl Iterator<Item = T> + '_ {
    list.iter().enumerate().filter(move |(position, _)| *position != axis).map(|(_, entry)| *entry)
}

/// A list has one entry an axis.
fn list_length(operation: &'static str, list: &'static str, x: &Shape, found: usize) -> Result<(), KernelError> {
    let expected = x.rank();
    if found == expected { Ok(()) } else { Err(KernelError::ListLength { operation, list, expected, found }) }
}

/// A shape of these extents.
fn shape(extents: impl Iterator<Item = i64>) -> Result<Shape, KernelError> {
    // Two ranks together are the most that any rule makes of operands.
    let mut list = [0; 2 * MAX_RANK];
    let mut rank = 0;
    for (kept, extent) in list.iter_mut().zip(extents) {
        *kept = extent;
        rank += 1;
    }
    Ok(Shape::new(&list[..rank])?)
}
