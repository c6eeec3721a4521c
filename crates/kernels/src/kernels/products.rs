//! `MatMulKernels`: the part of the seam that multiplies matrices.

use std::fmt::Debug;

use crate::{AnyView, AnyViewMut, Epilogue, KernelError, PackedMatrix, ZeroPoints};

/// Products of matrices: sums over a depth of products of elements.
///
/// Floats of 16 bits are summed in f32 (in f64 when [exact](crate::Precision::Exact)) and rounded once, integers wrap. Zero
/// times infinity is NaN: nothing is skipped. A product of depth 0 is zero.
pub trait MatMulKernels: Debug + Send + Sync {
    /// Multiplies the matrices in the last two axes: `[.., m, k]` times `[.., k, n]` is `[.., m, n]`. Leading axes broadcast,
    /// and any operand may have any strides.
    ///
    /// ```
    /// use stratal_kernels::{AnyView, Epilogue, Selection, map};
    /// use stratal_tensor::{View, ViewMut};
    /// use stratal_tensor_base::{Geometry, Shape};
    ///
    /// let of = |extents: &[i64]| Ok::<_, Box<dyn std::error::Error>>(Geometry::contiguous(Shape::new(extents)?));
    /// let (x, weights) = ([1.0_f32, 2.0], [1.0_f32, -1.0, 0.5, 3.0, 1.0, -4.0]);
    /// let (bias, mut result) = ([0.5_f32, 0.0, 1.0], [0.0_f32; 3]);
    /// let weights: AnyView<'_> = View::new(&weights, of(&[2, 3])?)?.into();
    /// // One number a column.
    /// let bias: AnyView<'_> = View::new(&bias, of(&[3])?)?.into();
    /// let epilogue = Epilogue { bias: Some(&bias), activation: Some(&map::Relu), ..Epilogue::default() };
    ///
    /// let kernels = Selection::new().kernels()?;
    /// let x: AnyView<'_> = View::new(&x, of(&[1, 2])?)?.into();
    /// kernels.matmul(&x, &weights, &epilogue, &mut ViewMut::new(&mut result, of(&[1, 3])?)?.into())?;
    /// assert_eq!(result, [7.5, 1.0, 0.0]);
    ///
    /// // Weights of many products are packed once; clones of what is packed can go to other threads.
    /// let packed = kernels.pack_matrix(&weights)?;
    /// kernels.matmul_packed(&x, &packed, &epilogue, &mut ViewMut::new(&mut result, of(&[1, 3])?)?.into())?;
    /// assert_eq!(result, [7.5, 1.0, 0.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`KernelError::DType`] for truths and integers of less than 32 bits, and for integers with factors;
    /// [`KernelError::RankTooSmall`], [`KernelError::Product`] when the sides do not fit each other,
    /// [`KernelError::DTypeMismatch`] and [`KernelError::ShapeMismatch`] when the result or the bias does not fit,
    /// [`KernelError::Shape`] when several matrices, repeated as often as they are multiplied, are beyond the limits of shapes.
    fn matmul(
        &self,
        a: &AnyView<'_>,
        b: &AnyView<'_>,
        epilogue: &Epilogue<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError>;

    /// [`matmul`](Self::matmul) with a right side that was packed before: the same bits.
    ///
    /// # Errors
    /// Those of [`matmul`](Self::matmul).
    fn matmul_packed(
        &self,
        a: &AnyView<'_>,
        b: &PackedMatrix,
        epilogue: &Epilogue<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError>;

    /// Multiplies matrices of u8 and i8, in any combination, into one of i32: the sum over the depth of
    /// `(a - zero of a) * (b - zero of b)`. Exact modulo 2^32: nothing saturates.
    ///
    /// Shapes are those of [`matmul`](Self::matmul), and [`ZeroPoints`] says those of zero points. Any operand may have any
    /// strides.
    ///
    /// ```
    /// use stratal_kernels::{Selection, ZeroPoints};
    /// use stratal_tensor::{View, ViewMut};
    /// use stratal_tensor_base::{Geometry, Shape};
    ///
    /// let of = |extents: &[i64]| Ok::<_, Box<dyn std::error::Error>>(Geometry::contiguous(Shape::new(extents)?));
    /// let (a, b, zeros) = ([1_u8, 2, 255, 0], [10_i8, -128], [2_u8, 0]);
    /// let mut result = [0; 2];
    /// Selection::new().kernels()?.matmul_integer(
    ///     &View::new(&a, of(&[2, 2])?)?.into(),
    ///     &View::new(&b, of(&[2, 1])?)?.into(),
    ///     // One a row.
    ///     &ZeroPoints { a: Some(&View::new(&zeros, of(&[2, 1])?)?.into()), b: None },
    ///     &mut ViewMut::new(&mut result, of(&[2, 1])?)?.into(),
    /// )?;
    /// assert_eq!(result, [(1 - 2) * 10 + (2 - 2) * -128, 255 * 10]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`KernelError::DType`] unless both sides are u8 or i8; [`KernelError::RankTooSmall`], [`KernelError::Product`] when the
    /// sides do not fit each other; [`KernelError::DTypeMismatch`] and [`KernelError::ShapeMismatch`] when the result or a zero
    /// point does not fit.
    fn matmul_integer(
        &self,
        a: &AnyView<'_>,
        b: &AnyView<'_>,
        zero_points: &ZeroPoints<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError>;

    /// [`matmul_integer`](Self::matmul_integer) with a right side that was packed before.
    ///
    /// # Errors
    /// Those of [`matmul_integer`](Self::matmul_integer).
    fn matmul_integer_packed(
        &self,
        a: &AnyView<'_>,
        b: &PackedMatrix,
        zero_points: &ZeroPoints<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError>;

    /// Packs a matrix that is to be the right side of products, be they of one dtype or of bytes.
    ///
    /// # Errors
    /// [`KernelError::DType`] for dtypes without either, [`KernelError::Rank`] unless there are two axes, [`KernelError::Shape`]
    /// when the columns, filled up to a multiple of sixteen, are beyond the limits of shapes.
    fn pack_matrix(&self, matrix: &AnyView<'_>) -> Result<PackedMatrix, KernelError>;
}
