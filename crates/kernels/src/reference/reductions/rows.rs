//! Rows of operands as lists of elements, by index.

use stratal_tensor_base::{Scalar, Shape};

use super::super::{scalars, write};
use crate::rows::Along;
use crate::{AnyView, AnyViewMut};

/// The row to which each element belongs, in logical order of the elements.
fn rows_of_elements(shape: &Shape, along: &Along) -> Vec<usize> {
    let mut rows = vec![0];
    for (axis, extent) in shape.extents().iter().enumerate() {
        let extent = *extent as usize;
        let next = |row: usize| (0..extent).map(move |index| if along[axis] { row } else { row * extent + index });
        rows = rows.into_iter().flat_map(next).collect();
    }
    rows
}

/// The number of rows.
fn row_count(shape: &Shape, along: &Along) -> usize {
    shape.extents().iter().enumerate().filter(|(axis, _)| !along[*axis]).map(|(_, extent)| *extent as usize).product()
}

/// The elements of each row.
pub(super) fn rows(view: &AnyView<'_>, along: &Along) -> Vec<Vec<Scalar>> {
    let mut rows = vec![Vec::new(); row_count(view.shape(), along)];
    for (row, scalar) in rows_of_elements(view.shape(), along).into_iter().zip(scalars(view)) {
        rows[row].push(scalar);
    }
    rows
}

/// Writes rows to where they belong.
pub(super) fn write_rows(view: &mut AnyViewMut<'_>, along: &Along, rows: Vec<Vec<Scalar>>) {
    let order = rows_of_elements(view.shape(), along);
    let mut rows: Vec<_> = rows.into_iter().map(Vec::into_iter).collect();
    write(view, order.into_iter().filter_map(|row| rows[row].next()));
}
