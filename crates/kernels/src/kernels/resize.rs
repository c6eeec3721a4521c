//! `ResizeKernels`: the part of the seam for resizing.

use std::fmt::Debug;

use crate::resize::Resize;
use crate::{AnyView, AnyViewMut, KernelError};

/// Results at coordinates between the elements of an operand.
pub trait ResizeKernels: Debug + Send + Sync {
    /// Resizes axes to the extents of the result, by the rules in [`resize`](crate::resize).
    ///
    /// The nearest element is taken from operands of any dtype; other interpolations are of floats and integers.
    ///
    /// # Errors
    /// [`KernelError::Resize`], [`KernelError::DType`], [`KernelError::DTypeMismatch`], and [`KernelError::ShapeMismatch`]
    /// when an axis that is not resized has another extent.
    fn resize(&self, resize: &Resize, x: &AnyView<'_>, result: &mut AnyViewMut<'_>) -> Result<(), KernelError>;
}
