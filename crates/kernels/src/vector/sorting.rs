//! Sorting, with rows on threads.

use stratal_tensor::View;
use stratal_tensor_base::{Element, Geometry, Shape, match_dtype};

use super::{Vector, input, output};
use crate::sort::driver::{Order, run};
use crate::sort::{Sort, TopK};
use crate::{AnyView, AnyViewMut, KernelError, SortKernels, check, copy};

impl SortKernels for Vector {
    fn sort(
        &self,
        sort: &Sort,
        x: &AnyView<'_>,
        values: &mut AnyViewMut<'_>,
        indices: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        let axis = check::sorting::sort(sort, x, values, indices)?;
        let order = Order { count: x.shape().extent(axis), descending: sort.descending, sorted: true };
        select(self, axis, order, x, values, indices)
    }

    fn top_k(
        &self,
        top: &TopK,
        x: &AnyView<'_>,
        values: &mut AnyViewMut<'_>,
        indices: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        let axis = check::sorting::top_k(top, x, values, indices)?;
        let order = Order { count: values.shape().extent(axis), descending: top.largest, sorted: top.sorted };
        select(self, axis, order, x, values, indices)
    }
}

/// Selects along an axis, into rows of their own, and copies those to where they belong.
fn select(
    kernels: &Vector,
    axis: usize,
    order: Order,
    x: &AnyView<'_>,
    values: &mut AnyViewMut<'_>,
    indices: &mut AnyViewMut<'_>,
) -> Result<(), KernelError> {
    let last = |geometry: &Geometry| geometry.movedim(axis as i64, -1).unwrap_or(*geometry);
    let (rows, shape) = (last(x.geometry()), *last(values.geometry()).shape());
    let count = shape.count();
    let mut found = vec![0_i64; count];
    match_dtype!(x.dtype(), T => {
        let mut chosen: Vec<T> = vec![bytemuck::Zeroable::zeroed(); count];
        run(x, &rows, order, &kernels.threads, bytemuck::cast_slice_mut(&mut chosen), &mut found);
        put(kernels, &chosen, shape, axis, values)?;
    });
    put(kernels, &found, shape, axis, indices)
}

/// Copies rows along the last axis to a result where that axis stands elsewhere.
fn put<T: Element>(
    kernels: &Vector,
    rows: &[T],
    shape: Shape,
    axis: usize,
    result: &mut AnyViewMut<'_>,
) -> Result<(), KernelError> {
    let contiguous = Geometry::contiguous(shape);
    let geometry = contiguous.movedim(-1, axis as i64).unwrap_or(contiguous);
    if let Ok(view) = View::new(rows, geometry) {
        copy::run(kernels.isa, input(&view.into()), output(result), &kernels.threads)?;
    }
    Ok(())
}
