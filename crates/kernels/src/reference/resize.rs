//! Resizing, element by element.

use stratal_tensor_base::{DType, Scalar, match_dtype};

use super::pooling::to_f64;
use super::{Reference, scalars, write};
use crate::resize::driver::work_dtype;
use crate::resize::table::Table;
use crate::resize::{Interpolation, Resize};
use crate::{AnyView, AnyViewMut, KernelError, ResizeKernels, check};

impl ResizeKernels for Reference {
    fn resize(&self, resize: &Resize, x: &AnyView<'_>, result: &mut AnyViewMut<'_>) -> Result<(), KernelError> {
        let tables = check::resize::resize(resize, x, result)?;
        if result.shape().is_empty() {
            return Ok(());
        }
        let (dtype, work) = (x.dtype(), work_dtype(x.dtype()));
        let is_nearest = matches!(resize.interpolation, Interpolation::Nearest(_));
        let extents = |view: &AnyView<'_>| view.shape().extents().iter().map(|extent| *extent as usize).collect();
        let mut from: Vec<usize> = extents(x);
        let mut elements: Vec<Scalar> = match (is_nearest, work) {
            (true, _) => scalars(x).collect(),
            (_, DType::F64) => scalars(x).map(|x| x.cast::<f64>().into()).collect(),
            _ => scalars(x).map(|x| x.cast::<f32>().into()).collect(),
        };
        for table in &tables {
            (elements, from) = along(table, is_nearest, &elements, &from);
        }
        let to: Vec<usize> = extents(&result.as_view());
        let finish = |(position, element): (usize, &Scalar)| {
            let is_outside = |table: &Table| {
                let inner: usize = to[table.axis + 1..].iter().product();
                table.outside.contains(&(position / inner % to[table.axis]))
            };
            let is_outside = resize.extrapolates() && tables.iter().any(is_outside);
            let element = if is_outside { Scalar::F32(resize.extrapolation) } else { *element };
            if is_nearest && !is_outside {
                return element;
            }
            let element = match element {
                Scalar::F32(x) if dtype.is_integer() => x.round_ties_even().into(),
                Scalar::F64(x) if dtype.is_integer() => x.round_ties_even().into(),
                other => other,
            };
            match_dtype!(dtype, T => element.cast::<T>().into())
        };
        write(result, elements.iter().enumerate().map(finish).collect::<Vec<Scalar>>().into_iter());
        Ok(())
    }
}

/// One axis, and the extents after it.
fn along(table: &Table, is_nearest: bool, x: &[Scalar], extents: &[usize]) -> (Vec<Scalar>, Vec<usize>) {
    let mut to = extents.to_vec();
    to[table.axis] = table.extent();
    let inner: usize = to[table.axis + 1..].iter().product();
    let element = |position: usize| {
        let (within, at) = (position % inner, position / inner % to[table.axis]);
        let outer = position / inner / to[table.axis];
        let (indices, weights) = table.of(at);
        let x = |index: usize| x[(outer * extents[table.axis] + index) * inner + within];
        let terms = indices.iter().zip(weights);
        match x(indices[0]) {
            Scalar::F32(_) if !is_nearest => {
                let products = terms.map(|(index, weight)| to_f64(x(*index)) as f32 * *weight as f32);
                products.reduce(|sum, product| sum + product).map_or(x(indices[0]), Scalar::F32)
            }
            Scalar::F64(_) if !is_nearest => {
                let products = terms.map(|(index, weight)| to_f64(x(*index)) * weight);
                products.reduce(|sum, product| sum + product).map_or(x(indices[0]), Scalar::F64)
            }
            moved => moved,
        }
    };
    ((0..to.iter().product()).map(element).collect(), to)
}
