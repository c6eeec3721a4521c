//! Operations on rows, on vectors.

use bytemuck::{cast_slice, cast_slice_mut};
use stratal_tensor_base::{DType, MAX_RANK};

use super::{Vector, input, output};
use crate::reduce::{ArgReduction, Reduction, Rows, run_arg};
use crate::rows::Places;
use crate::{
    AnyView, AnyViewMut, BatchNorm, KernelError, Normalization, ReductionKernels, Saved, Scan, Softmax, check,
    normalize, scan, softmax,
};

impl ReductionKernels for Vector {
    fn reduce(
        &self,
        operation: &dyn Reduction,
        x: &AnyView<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        let along = check::reductions::reduce(operation, x, result)?;
        let places = Places::new(x.geometry(), &along);
        let rows = Rows::new(x, &places);
        side_by_side(result, |results| operation.run(self.isa, &self.threads, &rows, results));
        Ok(())
    }

    fn arg_reduce(
        &self,
        operation: ArgReduction,
        axis: usize,
        x: &AnyView<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        let along = check::reductions::arg_reduce(operation, axis, x, result)?;
        let places = Places::new(x.geometry(), &along);
        let rows = Rows::new(x, &places);
        let (dtype, count) = (result.dtype(), result.shape().count());
        side_by_side(result, |results| {
            if dtype == DType::I64 {
                return run_arg(operation, self.isa, &self.threads, &rows, cast_slice_mut(results));
            }
            let mut wide = vec![0; count];
            run_arg(operation, self.isa, &self.threads, &rows, &mut wide);
            for (result, index) in cast_slice_mut::<u8, i32>(results).iter_mut().zip(wide) {
                // Below an extent, which fits.
                *result = index as i32;
            }
        });
        Ok(())
    }

    fn scan(
        &self,
        operation: Scan,
        axis: usize,
        x: &AnyView<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        let along = check::reductions::scan(operation, axis, x, result)?;
        scan::run(operation, self.isa, &self.threads, x, result, &along);
        Ok(())
    }

    fn softmax(&self, operation: &Softmax, x: &AnyView<'_>, result: &mut AnyViewMut<'_>) -> Result<(), KernelError> {
        let along = check::reductions::softmax(operation, x, result)?;
        softmax::run(operation, self.isa, &self.threads, Some(x), result, &along);
        Ok(())
    }

    fn softmax_in_place(&self, operation: &Softmax, x: &mut AnyViewMut<'_>) -> Result<(), KernelError> {
        let along = check::reductions::softmax_in_place(operation, &x.as_view())?;
        softmax::run(operation, self.isa, &self.threads, None, x, &along);
        Ok(())
    }

    fn normalize(
        &self,
        operation: &Normalization<'_>,
        x: &AnyView<'_>,
        scale: Option<&AnyView<'_>>,
        bias: Option<&AnyView<'_>>,
        result: &mut AnyViewMut<'_>,
        saved: Saved<'_, '_>,
    ) -> Result<(), KernelError> {
        let along = check::reductions::normalize(operation, x, scale, bias, result, &saved)?;
        let operands = normalize::Operands { x, scale, bias };
        normalize::run(operation, self.isa, &self.threads, operands, result, saved, &along);
        Ok(())
    }

    fn batch_norm(
        &self,
        operation: BatchNorm,
        x: &AnyView<'_>,
        by: [&AnyView<'_>; 4],
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        check::reductions::batch_norm(x, by, result)?;
        let [mean, variance, scale, bias] = by.map(input);
        let operands = [input(x), mean, variance, scale, bias];
        normalize::run_batch(operation, self.isa, &self.threads, x.dtype(), operands, output(result))
    }
}

/// Calls with room for all elements of a result side by side: where they are, or in between.
fn side_by_side(result: &mut AnyViewMut<'_>, work: impl FnOnce(&mut [u8])) {
    let size = result.dtype().size();
    let (geometry, bytes) = result.parts();
    let count = geometry.shape().count();
    if geometry.is_contiguous() {
        let start = geometry.offset() * size;
        return work(&mut bytes[start..start + count * size]);
    }
    // In words, so that it is aligned for every type.
    let mut room = vec![0_u64; (count * size).div_ceil(8)];
    let room = &mut cast_slice_mut(&mut room)[..count * size];
    work(room);
    Places::new(geometry, &[true; MAX_RANK]).scatter(cast_slice(room), size, 0, 0..count, bytes);
}
