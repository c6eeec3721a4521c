//! `ReductionKernels`: the part of the seam for reductions, scans, softmax and normalisations.

use std::fmt::Debug;

use crate::reduce::{ArgReduction, Reduction};
use crate::{AnyView, AnyViewMut, BatchNorm, KernelError, Normalization, Saved, Scan, Softmax};

/// Operations that see a whole row at once: reductions, scans, softmax and normalisations.
///
/// A row is the elements along some axes at one index of the others. Rows of any strides give the same bits, on every
/// backend and number of threads: the order in which elements are combined depends on their place in the row alone.
pub trait ReductionKernels: Debug + Send + Sync {
    /// Reduces `x` over the axes along which the result has extent 1. The ranks are equal, and the other extents too.
    ///
    /// An axis may be empty: then results are the operation's neutral value, where it has one.
    ///
    /// ```
    /// use stratal_kernels::{Selection, reduce};
    /// use stratal_tensor::{View, ViewMut};
    /// use stratal_tensor_base::{Geometry, Shape};
    ///
    /// let geometry = Geometry::contiguous(Shape::new(&[2, 3])?);
    /// let columns = Geometry::contiguous(Shape::new(&[1, 3])?);
    /// let (x, mut sums) = ([1, 2, 3, 10, 20, 30], [0; 3]);
    /// let kernels = Selection::new().kernels()?;
    /// kernels.reduce(&reduce::Sum, &View::new(&x, geometry)?.into(), &mut ViewMut::new(&mut sums, columns)?.into())?;
    /// assert_eq!(sums, [11, 22, 33]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`KernelError::DType`] when the operation is not defined for the dtype, [`KernelError::DTypeMismatch`] and
    /// [`KernelError::ReducedShape`] when the result is of another kind, [`KernelError::EmptyRows`] for the mean of no
    /// integers.
    fn reduce(
        &self,
        operation: &dyn Reduction,
        x: &AnyView<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError>;

    /// Finds where the extreme elements along an axis are. The result is of int64 or int32, with extent 1 along the axis.
    ///
    /// # Errors
    /// [`KernelError::DType`] for bool, [`KernelError::DTypeMismatch`], [`KernelError::ReducedShape`],
    /// [`KernelError::Axis`], and [`KernelError::EmptyRows`] for an axis without elements.
    fn arg_reduce(
        &self,
        operation: ArgReduction,
        axis: usize,
        x: &AnyView<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError>;

    /// Accumulates along an axis.
    ///
    /// # Errors
    /// [`KernelError::DType`] for bool, [`KernelError::DTypeMismatch`], [`KernelError::ShapeMismatch`] and
    /// [`KernelError::Axis`].
    fn scan(
        &self,
        operation: Scan,
        axis: usize,
        x: &AnyView<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError>;

    /// Computes softmax, or its logarithm, of floats.
    ///
    /// # Errors
    /// Those of [`scan`](Self::scan), with [`KernelError::DType`] for integers too.
    fn softmax(&self, operation: &Softmax, x: &AnyView<'_>, result: &mut AnyViewMut<'_>) -> Result<(), KernelError>;

    /// Replaces floats by their softmax, or its logarithm.
    ///
    /// # Errors
    /// Those of [`softmax`](Self::softmax).
    fn softmax_in_place(&self, operation: &Softmax, x: &mut AnyViewMut<'_>) -> Result<(), KernelError>;

    /// Normalises floats over a set of axes, then multiplies by `scale` and adds `bias`, which are views broadcast to the
    /// shape of `x`. What is found on the way goes to the places in `saved`.
    ///
    /// # Errors
    /// Those of [`softmax`](Self::softmax), for each operand and place.
    fn normalize(
        &self,
        operation: &Normalization<'_>,
        x: &AnyView<'_>,
        scale: Option<&AnyView<'_>>,
        bias: Option<&AnyView<'_>>,
        result: &mut AnyViewMut<'_>,
        saved: Saved<'_, '_>,
    ) -> Result<(), KernelError>;

    /// Normalises floats by a mean and a variance that are given, then multiplies by a scale and adds a bias. `by` holds
    /// the four in this order, broadcast to the shape of `x`.
    ///
    /// # Errors
    /// Those of [`softmax`](Self::softmax), for each operand.
    fn batch_norm(
        &self,
        operation: BatchNorm,
        x: &AnyView<'_>,
        by: [&AnyView<'_>; 4],
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError>;
}
