//! Elements in row-major order, and sums over them: loops that operators of gradients have in common.
#![expect(clippy::result_large_err, reason = "a cause is passed on once a use")]

use std::ops::{Add, Mul, Sub};

use stratal_kernels::AnyView;
use stratal_ops::{Cause, Context, Outputs, read};
use stratal_tensor_base::{DType, Element, Scalar};

/// What gradients are computed in: f32 or f64.
pub(crate) trait Number: Element + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    const ZERO: Self;

    /// The nearest number.
    fn rounded(number: f64) -> Self;

    /// The same number.
    fn widened(self) -> f64;
}

impl Number for f32 {
    const ZERO: Self = 0.0;

    fn rounded(number: f64) -> Self {
        Scalar::from(number).cast()
    }

    fn widened(self) -> f64 {
        self.into()
    }
}

impl Number for f64 {
    const ZERO: Self = 0.0;

    fn rounded(number: f64) -> Self {
        number
    }

    fn widened(self) -> f64 {
        self
    }
}

/// Calls a function with the elements of a view in row-major order, copied if they do not lie like that.
pub(crate) fn with_elements<T: Element, R>(
    context: &Context<'_>,
    view: &AnyView<'_>,
    work: impl FnOnce(&[T]) -> Result<R, Cause>,
) -> Result<R, Cause> {
    match view.typed::<T>().and_then(|view| view.as_slice()) {
        Some(elements) => work(elements),
        None => work(&context.converted(view, T::DTYPE)?.data::<T>()?),
    }
}

/// Has a function write the elements of the first output in row-major order. They are rounded once, where that is of 16 bits.
pub(crate) fn write_elements<T: Number>(
    context: &Context<'_>,
    outputs: &mut Outputs<'_>,
    work: impl FnOnce(&mut [T]) -> Result<(), Cause>,
) -> Result<(), Cause> {
    outputs.write(0, |result| {
        if let Some(mut typed) = result.typed::<T>()
            && let Some(elements) = typed.as_mut_slice()
        {
            return work(elements);
        }
        let elements = context.scratch(T::DTYPE, result.shape())?;
        work(&mut elements.data_mut::<T>()?)?;
        Ok(context.kernels().cast(&read(&elements)?.view()?, result)?)
    })
}

/// The dtypes that rows are computed in.
pub(crate) const COMPUTED: &[DType] = &[DType::F32, DType::F64];

/// A sum of terms made of two rows: of blocks, each in as many lanes as vectors have, which are added in f64.
pub(crate) fn sum_of<T: Number>(a: &[T], b: &[T], term: impl Fn(T, T) -> T) -> f64 {
    const LANES: usize = 16;
    const BLOCK: usize = 64 * LANES;
    let blocks = a.chunks(BLOCK).zip(b.chunks(BLOCK));
    blocks
        .map(|(a, b)| {
            let mut lanes = [T::ZERO; LANES];
            let (a, b) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
            let rest = a.remainder().iter().zip(b.remainder()).map(|(&a, &b)| term(a, b).widened()).sum::<f64>();
            for (a, b) in a.zip(b) {
                for ((lane, &a), &b) in lanes.iter_mut().zip(a).zip(b) {
                    *lane = *lane + term(a, b);
                }
            }
            rest + lanes.into_iter().map(Number::widened).sum::<f64>()
        })
        .sum()
}
