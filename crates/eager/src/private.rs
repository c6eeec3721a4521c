//! Operators that gradients are made of and nobody builds by name: what they have in common.
#![expect(clippy::result_large_err, reason = "a cause is passed on once a use")]

use stratal_kernels::{AnyView, AnyViewMut};
use stratal_ops::{Cause, Context, Definition, Node, Operator, dtypes, read, write};
use stratal_tensor_base::{DType, Element};

/// What is known of an operator that is no part of any model.
pub(crate) const fn definition(name: &'static str, inputs: usize) -> Definition {
    Definition {
        domain: "stratal.eager",
        name,
        since: 1,
        inputs: inputs..=inputs,
        outputs: 1..=1,
        attributes: &[],
        dtypes: dtypes::FLOATS,
        build: no_build,
    }
}

fn no_build(_: &Node<'_>) -> Result<Box<dyn Operator>, Cause> {
    Err(Cause::Unsupported { what: "built by its name".into() })
}

/// A float that gradients are summed in.
pub(crate) trait Sum: Element + std::ops::Add<Output = Self> + std::ops::Mul<Output = Self> + Default {
    /// The quotient of 1 and a number.
    fn reciprocal(count: i64) -> Self;
}

impl Sum for f32 {
    fn reciprocal(count: i64) -> Self {
        (1.0 / count as f64) as Self
    }
}

impl Sum for f64 {
    fn reciprocal(count: i64) -> Self {
        1.0 / count as Self
    }
}

/// Reads elements in row-major order: those that lie so as they are, others from a copy.
pub(crate) fn with_elements<T: Element, R>(
    context: &Context<'_>,
    view: &AnyView<'_>,
    work: impl FnOnce(&[T]) -> Result<R, Cause>,
) -> Result<R, Cause> {
    if let Some(elements) = view.typed::<T>().as_ref().and_then(stratal_tensor::View::as_slice) {
        return work(elements);
    }
    let copy = context.converted(view, T::DTYPE)?;
    let held = read(&copy)?;
    match held.view()?.typed::<T>().as_ref().and_then(stratal_tensor::View::as_slice) {
        Some(elements) => work(elements),
        None => Err(unfit(view.dtype())),
    }
}

/// Writes all elements of a result in row-major order. One that does not lie so, or of another dtype, is written from a copy.
pub(crate) fn fill_elements<T: Element>(
    context: &Context<'_>,
    result: &mut AnyViewMut<'_>,
    fill: impl FnOnce(&mut [T]) -> Result<(), Cause>,
) -> Result<(), Cause> {
    let unfit = unfit(result.dtype());
    if result.dtype() == T::DTYPE && result.geometry().is_contiguous() {
        let mut elements = result.typed::<T>();
        return match elements.as_mut().and_then(stratal_tensor::ViewMut::as_mut_slice) {
            Some(elements) => fill(elements),
            None => Err(unfit),
        };
    }
    let copy = context.scratch(T::DTYPE, result.shape())?;
    write(&copy, |copy| match copy.typed::<T>().as_mut().and_then(stratal_tensor::ViewMut::as_mut_slice) {
        Some(elements) => fill(elements),
        None => Err(unfit),
    })?;
    Ok(context.kernels().cast(&read(&copy)?.view()?, result)?)
}

fn unfit(dtype: DType) -> Cause {
    Cause::Unfit(format!("cannot compute with {dtype}"))
}
