//! The reference backend: one element after another, by index. It is the meaning that all others are compared with.

use stratal_tensor_base::{Bool, CastFromAny, Element, Scalar, match_dtype};

use crate::map::{Binary, Comparison, Predicate, Unary};
use crate::{AnyView, AnyViewMut, Backend, KernelError, Kernels, Precision, Threads, check};

/// Scalar loops on the calling thread.
#[derive(Debug)]
pub(crate) struct Reference {
    threads: Threads,
}

impl Reference {
    pub(crate) const fn new() -> Self {
        Self { threads: Threads::calling() }
    }
}

impl Kernels for Reference {
    fn backend(&self) -> Backend {
        Backend::Reference
    }

    fn precision(&self) -> Precision {
        Precision::Exact
    }

    fn threads(&self) -> &Threads {
        &self.threads
    }

    fn unary(&self, operation: &dyn Unary, x: &AnyView<'_>, result: &mut AnyViewMut<'_>) -> Result<(), KernelError> {
        check::unary(operation, x, result)?;
        write(result, scalars(x).map(|x| operation.element(x)));
        Ok(())
    }

    fn unary_in_place(&self, operation: &dyn Unary, x: &mut AnyViewMut<'_>) -> Result<(), KernelError> {
        check::unary_in_place(operation, x)?;
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
        check::binary(operation, a, b, result)?;
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
        check::binary_in_place(operation, &a.as_view(), b)?;
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
        check::compare(operation, a, b, result)?;
        write(result, scalars(a).zip(scalars(b)).map(|(a, b)| operation.element(a, b).into()));
        Ok(())
    }

    fn test(&self, operation: &dyn Predicate, x: &AnyView<'_>, result: &mut AnyViewMut<'_>) -> Result<(), KernelError> {
        check::test(operation, x, result)?;
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
        check::select(condition, then, otherwise, result)?;
        let choices = scalars(condition).zip(scalars(then).zip(scalars(otherwise)));
        write(result, choices.map(|(condition, (then, otherwise))| if is_true(condition) { then } else { otherwise }));
        Ok(())
    }

    fn cast(&self, x: &AnyView<'_>, result: &mut AnyViewMut<'_>) -> Result<(), KernelError> {
        check::cast(x, result)?;
        match_dtype!(result.dtype(), T => write(result, scalars(x).map(cast_to::<T>)));
        Ok(())
    }

    fn copy(&self, x: &AnyView<'_>, result: &mut AnyViewMut<'_>) -> Result<(), KernelError> {
        check::copy(x, result)?;
        write(result, scalars(x));
        Ok(())
    }
}

/// The elements in logical order.
fn scalars<'a>(view: &AnyView<'a>) -> Box<dyn Iterator<Item = Scalar> + 'a> {
    let offsets = view.geometry().offsets();
    match_dtype!(view.dtype(), T => {
        let elements = view.elements::<T>();
        Box::new(offsets.map(move |offset| elements[offset].into()))
    })
}

/// Writes elements of the view's dtype in logical order.
fn write(view: &mut AnyViewMut<'_>, scalars: impl Iterator<Item = Scalar>) {
    let offsets = view.geometry().offsets();
    match_dtype!(view.dtype(), T => {
        let elements = view.elements_mut::<T>();
        for (offset, element) in offsets.zip(scalars.filter_map(Scalar::get::<T>)) {
            elements[offset] = element;
        }
    });
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
