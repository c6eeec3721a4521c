//! Resizing on vectors.

use bytemuck::cast_slice_mut;
use stratal_tensor::{View, ViewMut};
use stratal_tensor_base::{DType, Element, Geometry, Scalar, match_dtype};

use super::{Vector, input, output};
use crate::resize::driver::{Work, extrapolate, interpolate, nearest, work_dtype};
use crate::resize::table::Table;
use crate::resize::{Interpolation, Resize};
use crate::{AnyView, AnyViewMut, KernelError, MapKernels, ResizeKernels, check, copy};

impl ResizeKernels for Vector {
    fn resize(&self, resize: &Resize, x: &AnyView<'_>, result: &mut AnyViewMut<'_>) -> Result<(), KernelError> {
        let tables = check::resize::resize(resize, x, result)?;
        if result.shape().is_empty() {
            return Ok(());
        }
        match (resize.interpolation, work_dtype(x.dtype())) {
            (Interpolation::Nearest(_), _) => move_nearest(self, resize, &tables, x, result),
            (_, DType::F64) => interpolated::<f64>(self, resize, &tables, x, result),
            _ => interpolated::<f32>(self, resize, &tables, x, result),
        }
    }
}

fn move_nearest(
    kernels: &Vector,
    resize: &Resize,
    tables: &[Table],
    x: &AnyView<'_>,
    result: &mut AnyViewMut<'_>,
) -> Result<(), KernelError> {
    let shape = *result.shape();
    match_dtype!(x.dtype(), T => {
        let mut moved: Vec<T> = vec![bytemuck::Zeroable::zeroed(); shape.count()];
        let is_contiguous = result.geometry().is_contiguous();
        let place: &mut [T] = if is_contiguous {
            let start = result.geometry().offset();
            &mut result.elements_mut::<T>()[start..start + shape.count()]
        } else {
            &mut moved
        };
        nearest(&kernels.threads, x.bytes(), x.geometry(), size_of::<T>(), &shape, tables, cast_slice_mut(place));
        if resize.extrapolates() {
            let value = if T::DTYPE.is_integer() { resize.extrapolation.round_ties_even() } else { resize.extrapolation };
            extrapolate(place, &shape, tables, Scalar::F32(value).cast::<T>());
        }
        if !is_contiguous && let Ok(view) = View::new(&moved, Geometry::contiguous(shape)) {
            copy::run(kernels.isa, input(&view.into()), output(result), &kernels.threads)?;
        }
    });
    Ok(())
}

fn interpolated<W: Work>(
    kernels: &Vector,
    resize: &Resize,
    tables: &[Table],
    x: &AnyView<'_>,
    result: &mut AnyViewMut<'_>,
) -> Result<(), KernelError> {
    let shape = *result.shape();
    let mut elements: Vec<W> = vec![bytemuck::Zeroable::zeroed(); x.shape().count()];
    if let Ok(view) = ViewMut::new(&mut elements, Geometry::contiguous(*x.shape())) {
        kernels.cast(x, &mut view.into())?;
    }
    let mut elements = interpolate(kernels.isa, &kernels.threads, elements, x.shape(), tables);
    if resize.extrapolates() {
        extrapolate(&mut elements, &shape, tables, W::of(resize.extrapolation.into()));
    }
    if x.dtype().is_integer() {
        elements.iter_mut().for_each(|element| *element = element.round());
    }
    if let Ok(view) = View::new(&elements, Geometry::contiguous(shape)) {
        kernels.cast(&view.into(), result)?;
    }
    Ok(())
}
