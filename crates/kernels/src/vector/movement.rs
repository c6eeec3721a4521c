//! Movement on vectors.

use stratal_tensor_base::Scalar;

use super::Vector;
use crate::movement::{
    Padding, ScatterReduction, Triangle, compress, concat, extend, narrowed, non_zero, one_hot, pick, put,
    reverse_sequence, triangular,
};
use crate::{AnyView, AnyViewMut, KernelError, MapKernels, MovementKernels, check};

impl MovementKernels for Vector {
    fn concat(&self, parts: &[AnyView<'_>], axis: i64, result: &mut AnyViewMut<'_>) -> Result<(), KernelError> {
        let axis = check::movement::concat(parts, axis, result)?;
        concat::run(self.isa, parts, axis, result, &self.threads)
    }

    fn split(&self, x: &AnyView<'_>, axis: i64, results: &mut [AnyViewMut<'_>]) -> Result<(), KernelError> {
        let axis = check::movement::split(x, axis, results)?;
        let mut start = 0;
        for result in results {
            let extent = result.shape().extent(axis);
            self.copy(&x.with_geometry(narrowed(x.geometry(), axis, start, extent)), result)?;
            start += extent;
        }
        Ok(())
    }

    fn tile(&self, x: &AnyView<'_>, repeats: &[i64], result: &mut AnyViewMut<'_>) -> Result<(), KernelError> {
        check::movement::tile(x, repeats, result)?;
        extend::tile(self.isa, x, result, &self.threads);
        Ok(())
    }

    fn pad(&self, x: &AnyView<'_>, padding: &Padding<'_>, result: &mut AnyViewMut<'_>) -> Result<(), KernelError> {
        check::movement::pad(x, padding, result)?;
        extend::pad(self.isa, x, padding, result, &self.threads);
        Ok(())
    }

    fn gather(
        &self,
        x: &AnyView<'_>,
        indices: &AnyView<'_>,
        axis: i64,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        let axis = check::movement::gather(x, indices, axis, result)?;
        pick::gather(self.isa, x, indices, axis, result, &self.threads);
        Ok(())
    }

    fn gather_elements(
        &self,
        x: &AnyView<'_>,
        indices: &AnyView<'_>,
        axis: i64,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        let axis = check::movement::gather_elements(x, indices, axis, result)?;
        pick::gather_elements(self.isa, x, indices, axis, result, &self.threads);
        Ok(())
    }

    fn gather_nd(
        &self,
        x: &AnyView<'_>,
        indices: &AnyView<'_>,
        batch_axes: usize,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        check::movement::gather_nd(x, indices, batch_axes, result)?;
        pick::gather_nd(self.isa, x, indices, batch_axes, result, &self.threads);
        Ok(())
    }

    fn scatter_elements(
        &self,
        x: &AnyView<'_>,
        indices: &AnyView<'_>,
        updates: &AnyView<'_>,
        axis: i64,
        reduction: ScatterReduction,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        check::movement::result_of("scatter_elements", x, result)?;
        let axis = check::movement::scatter_elements(x, indices, updates, axis, reduction)?;
        self.copy(x, result)?;
        put::scatter_elements(self.isa, result, indices, updates, axis, reduction);
        Ok(())
    }

    fn scatter_elements_in_place(
        &self,
        x: &mut AnyViewMut<'_>,
        indices: &AnyView<'_>,
        updates: &AnyView<'_>,
        axis: i64,
        reduction: ScatterReduction,
    ) -> Result<(), KernelError> {
        let axis = check::movement::scatter_elements(&x.as_view(), indices, updates, axis, reduction)?;
        put::scatter_elements(self.isa, x, indices, updates, axis, reduction);
        Ok(())
    }

    fn scatter_nd(
        &self,
        x: &AnyView<'_>,
        indices: &AnyView<'_>,
        updates: &AnyView<'_>,
        reduction: ScatterReduction,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        check::movement::result_of("scatter_nd", x, result)?;
        check::movement::scatter_nd(x, indices, updates, reduction)?;
        self.copy(x, result)?;
        put::scatter_nd(self.isa, result, indices, updates, reduction);
        Ok(())
    }

    fn scatter_nd_in_place(
        &self,
        x: &mut AnyViewMut<'_>,
        indices: &AnyView<'_>,
        updates: &AnyView<'_>,
        reduction: ScatterReduction,
    ) -> Result<(), KernelError> {
        check::movement::scatter_nd(&x.as_view(), indices, updates, reduction)?;
        put::scatter_nd(self.isa, x, indices, updates, reduction);
        Ok(())
    }

    fn one_hot(
        &self,
        indices: &AnyView<'_>,
        depth: i64,
        axis: i64,
        values: [Scalar; 2],
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        let axis = check::movement::one_hot(indices, depth, axis, values, result)?;
        one_hot::run(indices, axis, values, result, &self.threads);
        Ok(())
    }

    fn triangular(
        &self,
        x: &AnyView<'_>,
        triangle: Triangle,
        diagonal: i64,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        check::movement::triangular(x, result)?;
        triangular::run(self.isa, x, triangle, diagonal, result, &self.threads);
        Ok(())
    }

    fn count_non_zero(&self, x: &AnyView<'_>) -> usize {
        non_zero::count(x)
    }

    fn non_zero(&self, x: &AnyView<'_>, result: &mut AnyViewMut<'_>) -> Result<(), KernelError> {
        check::movement::non_zero(x, non_zero::count(x), result)?;
        non_zero::run(x, result);
        Ok(())
    }

    fn compress(
        &self,
        x: &AnyView<'_>,
        condition: &AnyView<'_>,
        axis: Option<i64>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        match check::movement::compress(x, condition, axis, result)? {
            Some(axis) => compress::along(self.isa, x, condition, axis, result, &self.threads),
            None => {
                compress::flat(x, condition, result);
                Ok(())
            }
        }
    }

    fn reverse_sequence(
        &self,
        x: &AnyView<'_>,
        lengths: &AnyView<'_>,
        batch_axis: i64,
        time_axis: i64,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        let (batch, time) = check::movement::reverse_sequence(x, lengths, batch_axis, time_axis, result)?;
        reverse_sequence::run(x, lengths, batch, time, result);
        Ok(())
    }
}
