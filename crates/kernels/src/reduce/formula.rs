//! Reductions: what a formula of many inputs is, and what backends see of it.

use std::fmt::Debug;

use stratal_tensor_base::{DType, DTypeKind, Scalar};

use super::by_index::row_of;
use super::drive::{self, Rows};
use super::wide::Wide;
use crate::Threads;
use crate::map::Formula;
use crate::simd::{Isa, Simd};

/// What a reduction is defined for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domain {
    /// Floats of all formats.
    Floats,
    /// Floats and integers.
    Numbers,
    /// Bool.
    Truths,
}

/// An operation that makes one number of many, written once for every instruction set.
///
/// The result is `finish(term(x1) + term(x2) + ...)`, where `+` stands for [`combine`](Self::combine), in the order that
/// `docs/numerics.md` gives. 16-bit floats compute in f32 and are narrowed once.
///
/// ```
/// use stratal_kernels::reduce::{Domain, ReductionFormula};
/// use stratal_kernels::simd::{Float, Simd};
///
/// /// The mean of the magnitudes.
/// #[derive(Debug, Clone, Copy)]
/// struct MeanMagnitude;
///
/// impl ReductionFormula for MeanMagnitude {
///     const NAME: &'static str = "mean_magnitude";
///     const DOMAIN: Domain = Domain::Floats;
///     const NEUTRAL: f32 = 0.0;
///
///     #[inline(always)]
///     fn term<S: Simd>(self, _simd: S, x: S::F32, _shift: S::F32) -> S::F32 {
///         x.abs()
///     }
///
///     #[inline(always)]
///     fn combine<S: Simd>(self, _simd: S, a: S::F32, b: S::F32) -> S::F32 {
///         a + b
///     }
///
///     #[inline(always)]
///     fn finish<S: Simd>(self, _simd: S, total: S::F32, count: S::F32, _shift: S::F32) -> S::F32 {
///         total / count
///     }
///
///     fn term_f64(self, x: f64, _shift: f64) -> f64 {
///         x.abs()
///     }
///
///     fn combine_f64(self, a: f64, b: f64) -> f64 {
///         a + b
///     }
///
///     fn finish_f64(self, total: f64, count: f64, _shift: f64) -> f64 {
///         total / count
///     }
/// }
/// ```
pub trait ReductionFormula: Copy + Debug + Send + Sync + 'static {
    /// The operation's name: that of ONNX, in snake case, without `reduce`.
    const NAME: &'static str;

    /// What the operation is defined for.
    const DOMAIN: Domain;

    /// Whether integers need elements, so that an empty row of them is an error.
    const NEEDS_INTEGERS: bool = false;

    /// Whether terms are relative to the greatest element of the row, their `shift`; it is 0 where that is not finite.
    const IS_SHIFTED: bool = false;

    /// What partial results start from. Combined with a partial result that started from it, it must change nothing.
    const NEUTRAL: f32;

    /// What is combined for an element. Mark it `#[inline(always)]`.
    fn term<S: Simd>(self, simd: S, x: S::F32, shift: S::F32) -> S::F32;

    /// Combines two partial results. Mark it `#[inline(always)]`.
    fn combine<S: Simd>(self, simd: S, a: S::F32, b: S::F32) -> S::F32;

    /// The result for what all terms combine to. Mark it `#[inline(always)]`.
    #[inline(always)]
    fn finish<S: Simd>(self, _simd: S, total: S::F32, _count: S::F32, _shift: S::F32) -> S::F32 {
        total
    }

    /// [`term`](Self::term) on f64.
    fn term_f64(self, x: f64, shift: f64) -> f64;

    /// [`combine`](Self::combine) on f64.
    fn combine_f64(self, a: f64, b: f64) -> f64;

    /// [`finish`](Self::finish) on f64.
    fn finish_f64(self, total: f64, _count: f64, _shift: f64) -> f64 {
        total
    }

    /// [`NEUTRAL`](Self::NEUTRAL) on integers and truths.
    fn neutral_integer<W: Wide>(self) -> W {
        W::of(0)
    }

    /// [`term`](Self::term) on integers and truths, which are 0 and 1.
    #[inline(always)]
    fn term_integer<W: Wide>(self, x: W) -> W {
        x
    }

    /// [`combine`](Self::combine) on integers and truths.
    #[inline(always)]
    fn combine_integer<W: Wide>(self, a: W, _b: W) -> W {
        a
    }

    /// [`finish`](Self::finish) on integers and truths.
    fn finish_integer<W: Wide>(self, total: W, _count: usize) -> W {
        total
    }
}

/// A reduction as backends see it: every [`ReductionFormula`] is one, as a [`Formula`].
///
/// The dtype of the result is that of the operand.
pub trait Reduction: Debug + Send + Sync {
    /// The operation's name: that of ONNX, in snake case, without `reduce`.
    fn name(&self) -> &'static str;

    /// Whether the operation has a meaning for this dtype.
    fn is_defined(&self, dtype: DType) -> bool;

    /// Whether rows of this dtype need elements.
    fn needs_elements(&self, dtype: DType) -> bool;

    /// The reduction of one row of a dtype that it is [defined](Self::is_defined) for, without vectors.
    fn row(&self, dtype: DType, row: &[Scalar]) -> Scalar;

    /// The reductions of all rows, on an instruction set, into results of the same dtype that lie side by side.
    fn run(&self, isa: Isa, threads: &Threads, rows: &Rows<'_>, results: &mut [u8]);
}

impl<F: ReductionFormula> Reduction for Formula<F> {
    fn name(&self) -> &'static str {
        F::NAME
    }

    fn is_defined(&self, dtype: DType) -> bool {
        match dtype.kind() {
            DTypeKind::Float => F::DOMAIN != Domain::Truths,
            DTypeKind::Signed | DTypeKind::Unsigned => F::DOMAIN == Domain::Numbers,
            DTypeKind::Bool => F::DOMAIN == Domain::Truths,
        }
    }

    fn needs_elements(&self, dtype: DType) -> bool {
        F::NEEDS_INTEGERS && dtype.is_integer()
    }

    fn row(&self, dtype: DType, row: &[Scalar]) -> Scalar {
        row_of(self.0, dtype, row)
    }

    fn run(&self, isa: Isa, threads: &Threads, rows: &Rows<'_>, results: &mut [u8]) {
        drive::run(self.0, isa, threads, rows, results);
    }
}

/// Compiles a formula of this crate here, once, as `map::compiled` does for maps and says why.
macro_rules! compiled {
    ($formula:ty) => {
        impl crate::reduce::Reduction for $formula {
            fn name(&self) -> &'static str {
                crate::reduce::Reduction::name(&crate::reduce::Formula(*self))
            }

            fn is_defined(&self, dtype: stratal_tensor_base::DType) -> bool {
                crate::reduce::Reduction::is_defined(&crate::reduce::Formula(*self), dtype)
            }

            fn needs_elements(&self, dtype: stratal_tensor_base::DType) -> bool {
                crate::reduce::Reduction::needs_elements(&crate::reduce::Formula(*self), dtype)
            }

            fn row(
                &self,
                dtype: stratal_tensor_base::DType,
                row: &[stratal_tensor_base::Scalar],
            ) -> stratal_tensor_base::Scalar {
                crate::reduce::Reduction::row(&crate::reduce::Formula(*self), dtype, row)
            }

            fn run(
                &self,
                isa: crate::simd::Isa,
                threads: &crate::Threads,
                rows: &crate::reduce::Rows<'_>,
                results: &mut [u8],
            ) {
                crate::reduce::Reduction::run(&crate::reduce::Formula(*self), isa, threads, rows, results);
            }
        }
    };
}

pub(super) use compiled;
