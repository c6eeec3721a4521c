//! What resizing asks of its operands.

use stratal_tensor_base::{DType, Shape};

use super::{defined, fits};
use crate::resize::table::Table;
use crate::resize::{Coordinates, Interpolation, Resize, ResizeError, Scale, check_factor};
use crate::{AnyView, AnyViewMut, KernelError};

/// Checks a resize, and gives the tables of its axes in ascending order; none where the result is empty.
pub(crate) fn resize(resize: &Resize, x: &AnyView<'_>, result: &AnyViewMut<'_>) -> Result<Vec<Table>, KernelError> {
    const NAME: &str = "resize";
    let is_defined = matches!(resize.interpolation, Interpolation::Nearest(_)) || x.dtype() != DType::Bool;
    defined(NAME, is_defined, x.dtype())?;
    if let Interpolation::Cubic(coefficient) = resize.interpolation
        && !coefficient.is_finite()
    {
        return Err(ResizeError::Coefficient { coefficient }.into());
    }
    let axes = resize.sorted_axes(x.shape())?;
    let mut extents: Vec<i64> = x.shape().extents().iter().map(|extent| i64::from(*extent)).collect();
    if result.shape().rank() == x.shape().rank() {
        for (axis, _) in &axes {
            extents[*axis] = i64::from(result.shape().extents()[*axis]);
        }
    }
    fits(NAME, "result", &Shape::new(&extents)?, x.dtype(), result.dtype(), result.shape())?;
    for (axis, along) in &axes {
        let [from, to] = [x, &result.as_view()].map(|view| view.shape().extents()[*axis]);
        let [start, end] = along.region;
        if resize.coordinates == Coordinates::CropAndResize && !(start.is_finite() && end.is_finite()) {
            return Err(ResizeError::Region { axis: *axis, start, end }.into());
        }
        if from == 0 && to != 0 {
            return Err(ResizeError::Empty { axis: *axis, to }.into());
        }
        if let Scale::Factor(factor) = along.scale {
            check_factor(factor)?;
            let length = f64::from(from) * factor;
            // Rounded in any way, but nothing shorter than half an element becomes one.
            if (length - f64::from(to)).abs() > 1.0 || (to > 0 && length < 0.5) {
                return Err(ResizeError::Extent { axis: *axis, from, to, factor }.into());
            }
        }
    }
    if result.shape().is_empty() {
        return Ok(Vec::new());
    }
    let table = |(axis, along): &(usize, _)| {
        Table::new(resize, *axis, along, [x, &result.as_view()].map(|view| view.shape().extents()[*axis]))
    };
    Ok(axes.iter().map(table).collect())
}
