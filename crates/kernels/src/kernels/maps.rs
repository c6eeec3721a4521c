//! `MapKernels`: the part of the seam that works element by element.

use std::fmt::Debug;

use crate::map::{Binary, Comparison, Predicate, Unary};
use crate::{AnyView, AnyViewMut, KernelError};

/// Maps, conversions and copies: each element of the result comes from the elements at the same index.
///
/// All shapes are equal: whoever calls expands broadcast operands first (`Geometry::broadcast_to`).
pub trait MapKernels: Debug + Send + Sync {
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
