//! `MovementKernels`: the part of the seam for moving elements to other places.

use std::fmt::Debug;

use stratal_tensor_base::Scalar;

use crate::movement::{Padding, ScatterReduction, Triangle};
use crate::{AnyView, AnyViewMut, KernelError};

/// Operations that choose elements and move them: their bits are kept, NaN included.
///
/// Meanings are those of ONNX's operators. Operands may be of any dtype, have any strides and be empty; whoever calls
/// allocates the result, of the shape that a function of [`movement`](crate::movement) tells. Axes may count from the end.
/// Indices are `int32` or `int64`; negative ones count from the end too, and one out of range is an error, found before
/// anything is written.
///
/// A slice is a [`copy`](crate::MapKernels::copy) from a sliced view, and an expanded operand one from a broadcast view:
/// ```
/// use stratal_kernels::Selection;
/// use stratal_tensor::{View, ViewMut};
/// use stratal_tensor_base::{Geometry, Shape};
///
/// let kernels = Selection::new().kernels()?;
/// let x = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
/// let nine_down_by_three = Geometry::contiguous(Shape::new(&[10])?).slice(0, Some(9), Some(0), -3)?;
/// let mut result = [0; 3];
/// let target = Geometry::contiguous(Shape::new(&[3])?);
/// kernels.copy(&View::new(&x, nine_down_by_three)?.into(), &mut ViewMut::new(&mut result, target)?.into())?;
/// assert_eq!(result, [9, 6, 3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait MovementKernels: Debug + Send + Sync {
    /// Joins parts, at least one, along an axis; some may be empty.
    ///
    /// ```
    /// # use stratal_kernels::{AnyView, AnyViewMut, Selection};
    /// # use stratal_tensor::{View, ViewMut};
    /// # use stratal_tensor_base::{Geometry, Shape};
    /// # let geometry = |extents: &[i64]| Geometry::contiguous(Shape::new(extents).unwrap());
    /// # let kernels = Selection::new().kernels()?;
    /// let (left, right) = ([1, 2, 5, 6], [3, 7]);
    /// let parts: [AnyView; 2] = [View::new(&left, geometry(&[2, 2]))?.into(), View::new(&right, geometry(&[2, 1]))?.into()];
    /// let mut result = [0; 6];
    /// kernels.concat(&parts, 1, &mut ViewMut::new(&mut result, geometry(&[2, 3]))?.into())?;
    /// assert_eq!(result, [1, 2, 3, 5, 6, 7]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`concat_shape`](crate::movement::concat_shape), [`KernelError::DTypeMismatch`] and
    /// [`KernelError::ShapeMismatch`].
    fn concat(&self, parts: &[AnyView<'_>], axis: i64, result: &mut AnyViewMut<'_>) -> Result<(), KernelError>;

    /// Copies the parts of an axis, which follow each other, to results whose extents say how long each is.
    ///
    /// # Errors
    /// [`KernelError::Axis`], [`KernelError::DTypeMismatch`], [`KernelError::ShapeMismatch`], and [`KernelError::Parts`] unless
    /// the results make up the axis.
    fn split(&self, x: &AnyView<'_>, axis: i64, results: &mut [AnyViewMut<'_>]) -> Result<(), KernelError>;

    /// Repeats each axis a number of times, which may be 0.
    ///
    /// # Errors
    /// Those of [`tile_shape`](crate::movement::tile_shape), [`KernelError::DTypeMismatch`] and
    /// [`KernelError::ShapeMismatch`].
    fn tile(&self, x: &AnyView<'_>, repeats: &[i64], result: &mut AnyViewMut<'_>) -> Result<(), KernelError>;

    /// Extends or crops each axis at both ends.
    ///
    /// ```
    /// # use stratal_kernels::{AnyView, AnyViewMut, Selection};
    /// # use stratal_tensor::{View, ViewMut};
    /// # use stratal_tensor_base::{Geometry, Shape};
    /// use stratal_kernels::movement::{PadMode, Padding};
    ///
    /// # let geometry = |extents: &[i64]| Geometry::contiguous(Shape::new(extents).unwrap());
    /// # let kernels = Selection::new().kernels()?;
    /// let x = [1, 2, 3];
    /// let x: AnyView = View::new(&x, geometry(&[3]))?.into();
    /// let mut result = [0; 7];
    /// let padding = Padding { before: &[2], after: &[2], mode: PadMode::Reflect };
    /// kernels.pad(&x, &padding, &mut ViewMut::new(&mut result, geometry(&[7]))?.into())?;
    /// assert_eq!(result, [3, 2, 1, 2, 3, 2, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`pad_shape`](crate::movement::pad_shape), [`KernelError::DTypeMismatch`] (of a constant too) and
    /// [`KernelError::ShapeMismatch`].
    fn pad(&self, x: &AnyView<'_>, padding: &Padding<'_>, result: &mut AnyViewMut<'_>) -> Result<(), KernelError>;

    /// Takes slices of an axis at indices, whose axes stand in its place: rows of a table, for example.
    ///
    /// ```
    /// # use stratal_kernels::{AnyView, AnyViewMut, Selection};
    /// # use stratal_tensor::{View, ViewMut};
    /// # use stratal_tensor_base::{Geometry, Shape};
    /// # let geometry = |extents: &[i64]| Geometry::contiguous(Shape::new(extents).unwrap());
    /// # let kernels = Selection::new().kernels()?;
    /// let table = [0.0_f32, 0.1, 1.0, 1.1, 2.0, 2.1];
    /// let table: AnyView = View::new(&table, geometry(&[3, 2]))?.into();
    /// let words = [2_i64, 0, -1];
    /// let words: AnyView = View::new(&words, geometry(&[3]))?.into();
    /// let mut result = [0.0_f32; 6];
    /// kernels.gather(&table, &words, 0, &mut ViewMut::new(&mut result, geometry(&[3, 2]))?.into())?;
    /// assert_eq!(result, [2.0, 2.1, 0.0, 0.1, 2.0, 2.1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`gather_shape`](crate::movement::gather_shape), [`KernelError::IndexDType`], [`KernelError::Index`],
    /// [`KernelError::DTypeMismatch`] and [`KernelError::ShapeMismatch`].
    fn gather(
        &self,
        x: &AnyView<'_>,
        indices: &AnyView<'_>,
        axis: i64,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError>;

    /// Takes the element at each index along an axis, at the index's own place along all others. The result has the
    /// indices' shape, which is nowhere longer than the operand's but along that axis.
    ///
    /// # Errors
    /// [`KernelError::Axis`], [`KernelError::Rank`], [`KernelError::IndexDType`], [`KernelError::Index`],
    /// [`KernelError::DTypeMismatch`] and [`KernelError::ShapeMismatch`].
    fn gather_elements(
        &self,
        x: &AnyView<'_>,
        indices: &AnyView<'_>,
        axis: i64,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError>;

    /// Takes slices at tuples of coordinates, which lie along the indices' last axis. The first `batch_axes` axes of both
    /// are the same, and a tuple points into its own batch.
    ///
    /// # Errors
    /// Those of [`gather_nd_shape`](crate::movement::gather_nd_shape), [`KernelError::IndexDType`], [`KernelError::Index`],
    /// [`KernelError::DTypeMismatch`] and [`KernelError::ShapeMismatch`].
    fn gather_nd(
        &self,
        x: &AnyView<'_>,
        indices: &AnyView<'_>,
        batch_axes: usize,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError>;

    /// Copies `x`, and does [`scatter_elements_in_place`](Self::scatter_elements_in_place) to the copy.
    ///
    /// # Errors
    /// Those of [`scatter_elements_in_place`](Self::scatter_elements_in_place), and [`KernelError::DTypeMismatch`] and
    /// [`KernelError::ShapeMismatch`] for the result.
    fn scatter_elements(
        &self,
        x: &AnyView<'_>,
        indices: &AnyView<'_>,
        updates: &AnyView<'_>,
        axis: i64,
        reduction: ScatterReduction,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError>;

    /// Updates the element at each index along an axis, at the index's own place along all others. Updates have the
    /// indices' shape, which is nowhere longer than the operand's but along that axis.
    ///
    /// Updates are applied in row-major order, so that the result is one whatever indices are repeated. 16-bit floats
    /// compute in f32 and are narrowed after each update.
    ///
    /// # Errors
    /// [`KernelError::Axis`], [`KernelError::Rank`], [`KernelError::IndexDType`], [`KernelError::Index`],
    /// [`KernelError::DTypeMismatch`], [`KernelError::ShapeMismatch`], and [`KernelError::DType`] for reductions of bool.
    fn scatter_elements_in_place(
        &self,
        x: &mut AnyViewMut<'_>,
        indices: &AnyView<'_>,
        updates: &AnyView<'_>,
        axis: i64,
        reduction: ScatterReduction,
    ) -> Result<(), KernelError>;

    /// Copies `x`, and does [`scatter_nd_in_place`](Self::scatter_nd_in_place) to the copy.
    ///
    /// # Errors
    /// Those of [`scatter_nd_in_place`](Self::scatter_nd_in_place), and [`KernelError::DTypeMismatch`] and
    /// [`KernelError::ShapeMismatch`] for the result.
    fn scatter_nd(
        &self,
        x: &AnyView<'_>,
        indices: &AnyView<'_>,
        updates: &AnyView<'_>,
        reduction: ScatterReduction,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError>;

    /// Updates slices at tuples of coordinates, which lie along the indices' last axis. Updates are of the shape that
    /// [`gather_nd`](Self::gather_nd) takes from there, and applied as in
    /// [`scatter_elements_in_place`](Self::scatter_elements_in_place).
    ///
    /// # Errors
    /// [`KernelError::RankTooSmall`], [`KernelError::Coordinates`], [`KernelError::IndexDType`], [`KernelError::Index`],
    /// [`KernelError::DTypeMismatch`], [`KernelError::ShapeMismatch`], and [`KernelError::DType`] for reductions of bool.
    fn scatter_nd_in_place(
        &self,
        x: &mut AnyViewMut<'_>,
        indices: &AnyView<'_>,
        updates: &AnyView<'_>,
        reduction: ScatterReduction,
    ) -> Result<(), KernelError>;

    /// Writes a row of `depth` elements for each index, along a new axis at `axis` of the result: the second of `values` at
    /// the index, the first everywhere else. An index outside `-depth..depth` is no error: its row is the first value only.
    ///
    /// # Errors
    /// Those of [`one_hot_shape`](crate::movement::one_hot_shape), [`KernelError::IndexDType`], and
    /// [`KernelError::DTypeMismatch`] and [`KernelError::ShapeMismatch`] for values and the result.
    fn one_hot(
        &self,
        indices: &AnyView<'_>,
        depth: i64,
        axis: i64,
        values: [Scalar; 2],
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError>;

    /// Copies a triangle of each matrix, which are the last two axes, and writes zeros elsewhere. `diagonal` is how far right
    /// of the main diagonal the triangle begins, negative to the left; any number will do.
    ///
    /// # Errors
    /// [`KernelError::RankTooSmall`] below rank 2, [`KernelError::DTypeMismatch`] and [`KernelError::ShapeMismatch`].
    fn triangular(
        &self,
        x: &AnyView<'_>,
        triangle: Triangle,
        diagonal: i64,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError>;

    /// How many elements are not zero, or true. A NaN is not zero, a negative zero is.
    fn count_non_zero(&self, x: &AnyView<'_>) -> usize;

    /// Writes the indices of the elements that are not zero in row-major order: one column for each, one row for each axis,
    /// so an `int64` result of shape `[rank, count_non_zero]`.
    ///
    /// # Errors
    /// [`KernelError::DTypeMismatch`] and [`KernelError::ShapeMismatch`].
    fn non_zero(&self, x: &AnyView<'_>, result: &mut AnyViewMut<'_>) -> Result<(), KernelError>;

    /// Takes the slices of an axis, or without one the elements in row-major order, at which a condition is true. The
    /// condition is a vector of bool; behind its end nothing is taken. [`count_non_zero`](Self::count_non_zero) of it tells
    /// the result's extent.
    ///
    /// # Errors
    /// [`KernelError::Axis`], [`KernelError::Rank`], [`KernelError::ConditionTooLong`], [`KernelError::DTypeMismatch`] and
    /// [`KernelError::ShapeMismatch`].
    fn compress(
        &self,
        x: &AnyView<'_>,
        condition: &AnyView<'_>,
        axis: Option<i64>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError>;

    /// Copies a batch of sequences, the first elements of each reversed, as many as its entry in `lengths` says.
    ///
    /// # Errors
    /// [`KernelError::Axis`], [`KernelError::SameAxis`], [`KernelError::IndexDType`], [`KernelError::SequenceLength`],
    /// [`KernelError::DTypeMismatch`] and [`KernelError::ShapeMismatch`].
    fn reverse_sequence(
        &self,
        x: &AnyView<'_>,
        lengths: &AnyView<'_>,
        batch_axis: i64,
        time_axis: i64,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError>;
}
