//! Maps on vectors.

use super::{Vector, in_place, input, output};
use crate::map::driver::{find, map};
use crate::map::{Binary, Comparison, Predicate, Unary};
use crate::{AnyView, AnyViewMut, KernelError, MapKernels, cast, check, copy, select};

impl MapKernels for Vector {
    fn unary(&self, operation: &dyn Unary, x: &AnyView<'_>, result: &mut AnyViewMut<'_>) -> Result<(), KernelError> {
        check::maps::unary(operation, x, result)?;
        let (isa, dtype) = (self.isa, x.dtype());
        map([input(x)], output(result), &self.threads, Some(self.isa), &|[x], result| {
            operation.run(isa, dtype, x, result)
        })?;
        Ok(())
    }

    fn unary_in_place(&self, operation: &dyn Unary, x: &mut AnyViewMut<'_>) -> Result<(), KernelError> {
        check::maps::unary_in_place(operation, x)?;
        let (isa, dtype) = (self.isa, x.dtype());
        map([], in_place(x), &self.threads, None, &|[], x| operation.run_in_place(isa, dtype, x))?;
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
        let (isa, dtype) = (self.isa, a.dtype());
        map([input(a), input(b)], output(result), &self.threads, Some(self.isa), &|[a, b], result| {
            operation.run(isa, dtype, a, b, result);
        })?;
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
        let (isa, dtype) = (self.isa, a.dtype());
        map([input(b)], in_place(a), &self.threads, None, &|[b], a| operation.run_in_place(isa, dtype, a, b))?;
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
        let (isa, dtype) = (self.isa, a.dtype());
        map([input(a), input(b)], output(result), &self.threads, Some(self.isa), &|[a, b], result| {
            operation.run(isa, dtype, a, b, result);
        })?;
        Ok(())
    }

    fn test(&self, operation: &dyn Predicate, x: &AnyView<'_>, result: &mut AnyViewMut<'_>) -> Result<(), KernelError> {
        check::maps::test(operation, x, result)?;
        let (isa, dtype) = (self.isa, x.dtype());
        map([input(x)], output(result), &self.threads, Some(self.isa), &|[x], result| {
            operation.run(isa, dtype, x, result)
        })?;
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
        let (isa, size) = (self.isa, then.dtype().size());
        let inputs = [input(condition), input(then), input(otherwise)];
        map(inputs, output(result), &self.threads, Some(self.isa), &|[condition, then, otherwise], result| {
            select::run(isa, size, condition, then, otherwise, result);
        })?;
        Ok(())
    }

    fn cast(&self, x: &AnyView<'_>, result: &mut AnyViewMut<'_>) -> Result<(), KernelError> {
        check::maps::cast(x, result)?;
        let (isa, from, to) = (self.isa, x.dtype(), result.dtype());
        map([input(x)], output(result), &self.threads, Some(self.isa), &|[x], result| {
            cast::run(isa, from, to, x, result)
        })?;
        Ok(())
    }

    fn copy(&self, x: &AnyView<'_>, result: &mut AnyViewMut<'_>) -> Result<(), KernelError> {
        check::maps::copy(x, result)?;
        copy::run(self.isa, input(x), output(result), &self.threads)?;
        Ok(())
    }
}

/// Looks for elements that have no result, before anything is written.
fn check_elements(operation: &dyn Binary, a: &AnyView<'_>, b: &AnyView<'_>) -> Result<(), KernelError> {
    let dtype = a.dtype();
    if !operation.can_fail(dtype) {
        return Ok(());
    }
    match find([input(a), input(b)], |[a, b]| operation.fault(dtype, a, b))? {
        Some(fault) => Err(KernelError::of_fault(fault, operation.name(), dtype)),
        None => Ok(()),
    }
}
