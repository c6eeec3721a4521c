//! Sorting, by comparing elements.

use std::cmp::Ordering;

use stratal_tensor_base::Scalar;

use super::pooling::{to_f64, to_i128};
use super::{Reference, scalars, write};
use crate::sort::{Sort, TopK};
use crate::{AnyView, AnyViewMut, KernelError, SortKernels, check};

impl SortKernels for Reference {
    fn sort(
        &self,
        sort: &Sort,
        x: &AnyView<'_>,
        values: &mut AnyViewMut<'_>,
        indices: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        let axis = check::sorting::sort(sort, x, values, indices)?;
        put(axis, x, values, indices, |row| in_order(row, sort.descending));
        Ok(())
    }

    fn top_k(
        &self,
        top: &TopK,
        x: &AnyView<'_>,
        values: &mut AnyViewMut<'_>,
        indices: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        let axis = check::sorting::top_k(top, x, values, indices)?;
        let count = values.shape().extent(axis);
        put(axis, x, values, indices, |row| {
            let mut first: Vec<usize> = in_order(row, top.largest).into_iter().take(count).collect();
            if !top.sorted {
                first.sort_unstable();
            }
            first
        });
        Ok(())
    }
}

/// The indices of a row's elements in their order, equal ones in the order of indices.
fn in_order(row: &[Scalar], descending: bool) -> Vec<usize> {
    let mut indices: Vec<usize> = (0..row.len()).collect();
    indices.sort_by(|a, b| {
        let order = compare(row[*a], row[*b]);
        if descending { order.reverse() } else { order }
    });
    indices
}

/// NaN last.
fn compare(a: Scalar, b: Scalar) -> Ordering {
    if !a.dtype().is_float() {
        return to_i128(a).cmp(&to_i128(b));
    }
    let (a, b) = (to_f64(a), to_f64(b));
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// Writes the elements that are chosen from each row, and their indices.
fn put(
    axis: usize,
    x: &AnyView<'_>,
    values: &mut AnyViewMut<'_>,
    indices: &mut AnyViewMut<'_>,
    choose: impl Fn(&[Scalar]) -> Vec<usize>,
) {
    let elements: Vec<Scalar> = scalars(x).collect();
    let product = |extents: &[u32]| extents.iter().map(|extent| *extent as usize).product::<usize>();
    let (extent, count) = (x.shape().extent(axis), values.shape().extent(axis));
    let (outer, inner) = (product(&x.shape().extents()[..axis]), product(&x.shape().extents()[axis + 1..]));
    let mut chosen = vec![0; outer * count * inner];
    for outer in 0..outer {
        for inner_index in 0..inner {
            let row: Vec<Scalar> =
                (0..extent).map(|index| elements[(outer * extent + index) * inner + inner_index]).collect();
            for (place, index) in choose(&row).into_iter().enumerate() {
                chosen[(outer * count + place) * inner + inner_index] = index;
            }
        }
    }
    let element = |(position, index): (usize, &usize)| {
        let (outer, inner_index) = (position / inner / count, position % inner);
        elements[(outer * extent + index) * inner + inner_index]
    };
    let moved: Vec<Scalar> = chosen.iter().enumerate().map(element).collect();
    write(values, moved.into_iter());
    write(indices, chosen.iter().map(|index| Scalar::I64(*index as i64)));
}
