//! `Formula`: what makes a formula of one's own an operation.

/// A formula as an operation that backends take: of a [`UnaryFormula`](super::UnaryFormula) it makes a
/// [`Unary`](super::Unary), and likewise for the other kinds and for [reductions](crate::reduce::ReductionFormula).
///
/// Operations of this crate need no wrapping: they are compiled here once, a formula of one's own where it is used.
///
/// ```
/// use stratal_kernels::map::{Formula, Unary, UnaryFormula};
/// use stratal_kernels::simd::Simd;
/// use stratal_tensor_base::Scalar;
///
/// #[derive(Debug, Clone, Copy)]
/// struct Square;
///
/// impl UnaryFormula for Square {
///     const NAME: &'static str = "square";
///
///     #[inline(always)]
///     fn f32<S: Simd>(self, _simd: S, x: S::F32) -> S::F32 {
///         x * x
///     }
///
///     fn f64(self, x: f64) -> f64 {
///         x * x
///     }
/// }
///
/// assert_eq!(Formula(Square).element(Scalar::F32(3.0)), Scalar::F32(9.0));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Formula<F>(pub F);
