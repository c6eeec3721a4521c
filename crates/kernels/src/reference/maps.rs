//! Maps, one element after another.

use stratal_tensor_base::{Bool, CastFromAny, Element, Scalar, match_dtype};

use super::{Reference, scalars, write};
use crate::map::{Binary, Comparison, Predicate, Unary};
use crate::{AnyView, AnyViewMut, KernelError, MapKernels, check};

impl MapKernels for Reference {
    fn unary(&self, operation: &dyn Unary, x: &AnyView<'_>, result: &mut AnyViewMut<'_>) -> Result<(), KernelError> {
        check::maps::unary(operation, x, result)?;
        write(result, scalars(x).map(|x| operation.element(x)));
        Ok(())
    }

    fn unary_in_place(&self, operation: &dyn Unary, x: &mut AnyViewMut<'_>) -> Result<(), KernelError> {
        check::maps::unary_in_place(operation, x)?;
        let results: Vec<Scalar> = scalars(&x.as_view()).map(|x| operation.element(x)).collect();
        write(x, results.into_iter());
        Ok(())
    }

    fn binary(
        &self,
        operation: &dyn Binary,
        a: &AnyView<'_>,
        b: &AnyView<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        check::maps::binary(operation, a, b, result)?;
        check_elements(operation, a, b)?;
        write(result, scalars(a).zip(scalars(b)).map(|(a, b)| operation.element(a, b)));
        Ok(())
    }

    fn binary_in_place(
        &self,
        operation: &dyn Binary,
        a: &mut AnyViewMut<'_>,
        b: &AnyView<'_>,
    ) -> Result<(), KernelError> {
        check::maps::binary_in_place(operation, &a.as_view(), b)?;
        check_elements(operation, &a.as_view(), b)?;
        let results: Vec<Scalar> =
            scalars(&a.as_view()).zip(scalars(b)).map(|(a, b)| operation.element(a, b)).collect();
        write(a, results.into_iter());
        Ok(())
    }

    fn compare(
        &self,
        operation: &dyn Comparison,
        a: &AnyView<'_>,
        b: &AnyView<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        check::maps::compare(operation, a, b, result)?;
        write(result, scalars(a).zip(scalars(b)).map(|(a, b)| operation.element(a, b).into()));
        Ok(())
    }

    fn test(&self, operation: &dyn Predicate, x: &AnyView<'_>, result: &mut AnyViewMut<'_>) -> Result<(), KernelError> {
        check::maps::test(operation, x, result)?;
        write(result, scalars(x).map(|x| operation.element(x).into()));
        Ok(())
    }

    fn select(
        &self,
        condition: &AnyView<'_>,
        then: &AnyView<'_>,
        otherwise: &AnyView<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        check::maps::select(condition, then, otherwise, result)?;
        let choices = scalars(condition).zip(scalars(then).zip(scalars(otherwise)));
        write(result, choices.map(|(condition, (then, otherwise))| if is_true(condition) { then } else { otherwise }));
        Ok(())
    }

    fn cast(&self, x: &AnyView<'_>, result: &mut AnyViewMut<'_>) -> Result<(), KernelError> {
        check::maps::cast(x, result)?;
        match_dtype!(result.dtype(), T => write(result, scalars(x).map(cast_to::<T>)));
        Ok(())
    }

    fn copy(&self, x: &AnyView<'_>, result: &mut AnyViewMut<'_>) -> Result<(), KernelError> {
        check::maps::copy(x, result)?;
        write(result, scalars(x));
        Ok(())
    }
}

fn check_elements(operation: &dyn Binary, a: &AnyView<'_>, b: &AnyView<'_>) -> Result<(), KernelError> {
    if !operation.can_fail(a.dtype()) {
        return Ok(());
    }
    match_dtype!(a.dtype(), T => {
        let elements = a.geometry().offsets().zip(b.geometry().offsets());
        for (a_offset, b_offset) in elements {
            let (a, b) = (&a.elements::<T>()[a_offset], &b.elements::<T>()[b_offset]);
            if let Some(fault) = operation.fault(T::DTYPE, bytemuck::bytes_of(a), bytemuck::bytes_of(b)) {
                return Err(KernelError::of_fault(fault, operation.name(), T::DTYPE));
            }
        }
    });
    Ok(())
}

fn is_true(condition: Scalar) -> bool {
    condition.get::<Bool>().is_some_and(Bool::get)
}

fn cast_to<T: CastFromAny + Element>(x: Scalar) -> Scalar {
    x.cast::<T>().into()
}
