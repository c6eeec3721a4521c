//! Pooling on vectors.

use bytemuck::cast_slice_mut;
use stratal_tensor::View;
use stratal_tensor_base::{Geometry, match_dtype};

use super::{Vector, input, output};
use crate::pool::driver::{Kind, Pooling};
use crate::pool::{Window, unpool};
use crate::{AnyView, AnyViewMut, KernelError, MapKernels, PoolingKernels, check, copy};

impl PoolingKernels for Vector {
    fn max_pool(
        &self,
        window: &Window,
        x: &AnyView<'_>,
        result: &mut AnyViewMut<'_>,
        indices: Option<&mut AnyViewMut<'_>>,
    ) -> Result<(), KernelError> {
        check::pooling::max_pool(window, x, result, indices.as_deref())?;
        pool(self, window, Kind::Max, x, result, indices)
    }

    fn average_pool(
        &self,
        window: &Window,
        count_padding: bool,
        x: &AnyView<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        check::pooling::average_pool(window, x, result)?;
        pool(self, window, Kind::Average(count_padding), x, result, None)
    }

    fn lp_pool(
        &self,
        window: &Window,
        power: i64,
        x: &AnyView<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        check::pooling::lp_pool(window, power, x, result)?;
        pool(self, window, Kind::Power(power), x, result, None)
    }

    fn max_unpool(
        &self,
        x: &AnyView<'_>,
        indices: &AnyView<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        check::pooling::max_unpool(x, indices, result)?;
        let positions = unpool::positions(indices, result.shape().count())?;
        unpool::scatter(x, &positions, result);
        Ok(())
    }
}

fn pool(
    kernels: &Vector,
    window: &Window,
    kind: Kind,
    x: &AnyView<'_>,
    result: &mut AnyViewMut<'_>,
    indices: Option<&mut AnyViewMut<'_>>,
) -> Result<(), KernelError> {
    let (isa, threads) = (kernels.isa, &kernels.threads);
    let pooling = Pooling::new(window, kind, (x.bytes(), x.geometry()), x.dtype(), result.shape())?;
    let order = *pooling.order();
    let is_indexed = indices.is_some();
    let mut found = vec![0_i32; if is_indexed { result.shape().count() } else { 0 }];
    if is_ordered(result.geometry(), &order) {
        let size = result.dtype().size();
        let (geometry, bytes) = result.parts();
        let start = geometry.offset() * size;
        let place = &mut bytes[start..start + geometry.shape().count() * size];
        pooling.run(kind, isa, threads, place, is_indexed.then_some(&mut found[..]));
    } else {
        match_dtype!(x.dtype(), T => {
            let mut place: Vec<T> = vec![bytemuck::Zeroable::zeroed(); result.shape().count()];
            pooling.run(kind, isa, threads, cast_slice_mut(&mut place), is_indexed.then_some(&mut found[..]));
            let Ok(view) = View::new(&place, order) else { return Ok(()) };
            copy::run(isa, input(&view.into()), output(result), threads)?;
        });
    }
    if let Some(indices) = indices
        && let Ok(view) = View::new(&found, order)
    {
        kernels.cast(&view.into(), indices)?;
    }
    Ok(())
}

/// Whether elements lie in an order without gaps.
fn is_ordered(geometry: &Geometry, order: &Geometry) -> bool {
    let axes = geometry.strides().iter().zip(order.strides()).zip(geometry.shape().extents());
    geometry.shape().is_empty() || { axes }.all(|((stride, ordered), extent)| *extent == 1 || stride == ordered)
}
