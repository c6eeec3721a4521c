//! `Kernels`: the seam between operations and the machine.

use std::fmt::Debug;

use crate::map::{Binary, Comparison, Predicate, Unary};
use crate::{AnyView, AnyViewMut, Backend, KernelError, Precision, Threads};

/// The only place where operations call kernels.
///
/// Operands are views with any strides: a transposed or reversed one is a view with a
/// [`Geometry`](stratal_tensor_base::Geometry) of that kind (`permute`, `flip`, ...). Whoever calls allocates the result and
/// expands broadcast operands first (`Geometry::broadcast_to`), so that all shapes are equal. Operands never share elements with the result: the borrow checker sees to it, and an operation in
/// place has a method of its own. Each method checks dtypes and shapes before it writes anything.
///
/// Implementations come from a [`Selection`](crate::Selection). They all give the same bits, except where
/// [`Precision::Fast`] allows another order of summation; any NaN counts as any other.
pub trait Kernels: Debug + Send + Sync {
    /// The implementation's name.
    fn backend(&self) -> Backend;

    /// What was asked for where exactness has a price.
    fn precision(&self) -> Precision;

    /// The threads that work.
    fn threads(&self) -> &Threads;

    /// Computes `operation(x)`.
    ///
    /// # Errors
    /// [`KernelError::DType`] when the operation is not defined for the dtype, [`KernelError::DTypeMismatch`] and
    /// [`KernelError::ShapeMismatch`] when the result is of another kind.
    fn unary(&self, operation: &dyn Unary, x: &AnyView<'_>, result: &mut AnyViewMut<'_>) -> Result<(), KernelError>;

    /// Replaces `x` by `operation(x)`.
    ///
    /// # Errors
    /// Those of [`unary`](Self::unary).
    fn unary_in_place(&self, operation: &dyn Unary, x: &mut AnyViewMut<'_>) -> Result<(), KernelError>;

    /// Computes `operation(a, b)`.
    ///
    /// # Errors
    /// Those of [`unary`](Self::unary), and for integers [`KernelError::DivisionByZero`] and
    /// [`KernelError::ZeroToNegativePower`], found before anything is written.
    fn binary(
        &self,
        operation: &dyn Binary,
        a: &AnyView<'_>,
        b: &AnyView<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError>;

    /// Replaces `a` by `operation(a, b)`.
    ///
    /// # Errors
    /// Those of [`binary`](Self::binary).
    fn binary_in_place(
        &self,
        operation: &dyn Binary,
        a: &mut AnyViewMut<'_>,
        b: &AnyView<'_>,
    ) -> Result<(), KernelError>;

    /// Computes a comparison of `a` and `b`, which have one dtype, into truths.
    ///
    /// # Errors
    /// Those of [`unary`](Self::unary).
    fn compare(
        &self,
        operation: &dyn Comparison,
        a: &AnyView<'_>,
        b: &AnyView<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError>;

    /// Computes a question about floats into truths.
    ///
    /// # Errors
    /// Those of [`unary`](Self::unary).
    fn test(&self, operation: &dyn Predicate, x: &AnyView<'_>, result: &mut AnyViewMut<'_>) -> Result<(), KernelError>;

    /// Takes each element from `then` where the condition is true, else from `otherwise`: bits are moved, NaN included.
    ///
    /// # Errors
    /// Those of [`unary`](Self::unary).
    fn select(
        &self,
        condition: &AnyView<'_>,
        then: &AnyView<'_>,
        otherwise: &AnyView<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError>;

    /// Converts elements to the result's dtype by the rule of [`stratal_tensor_base::cast`].
    ///
    /// # Errors
    /// [`KernelError::ShapeMismatch`].
    fn cast(&self, x: &AnyView<'_>, result: &mut AnyViewMut<'_>) -> Result<(), KernelError>;

    /// Copies elements of one dtype between any strides: bits are moved.
    ///
    /// # Errors
    /// Those of [`unary`](Self::unary).
    fn copy(&self, x: &AnyView<'_>, result: &mut AnyViewMut<'_>) -> Result<(), KernelError>;
}
