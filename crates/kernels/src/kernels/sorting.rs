//! `SortKernels`: the part of the seam for sorting and selecting.

use std::fmt::Debug;

use crate::sort::{Sort, TopK};
use crate::{AnyView, AnyViewMut, KernelError};

/// Elements along an axis in their order, by the rules in [`sort`](crate::sort), with their indices as I64.
pub trait SortKernels: Debug + Send + Sync {
    /// All elements, in order.
    ///
    /// # Errors
    /// [`KernelError::Sort`], [`KernelError::DType`] for bool, [`KernelError::DTypeMismatch`] and
    /// [`KernelError::ShapeMismatch`].
    fn sort(
        &self,
        sort: &Sort,
        x: &AnyView<'_>,
        values: &mut AnyViewMut<'_>,
        indices: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError>;

    /// The largest or smallest elements. Values and indices have the shape that [`TopK::output_shape`] gives.
    ///
    /// # Errors
    /// Those of [`sort`](Self::sort).
    fn top_k(
        &self,
        top: &TopK,
        x: &AnyView<'_>,
        values: &mut AnyViewMut<'_>,
        indices: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError>;
}
