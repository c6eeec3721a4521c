//! `MatMulKernels`: the part of the seam that multiplies matrices.

use std::fmt::Debug;

use crate::{AnyView, AnyViewMut, Epilogue, KernelError, PackedMatrix};

/// Products of matrices: sums over a depth of products of elements.
///
/// Floats of 16 bits are summed in f32 (in f64 when [exact](crate::Precision::Exact)) and rounded once, integers wrap. Zero
/// times infinity is NaN: nothing is skipped. A product of depth 0 is zero.
pub trait MatMulKernels: Debug + Send + Sync {
    /// Multiplies the matrices in the last two axes: `[.., m, k]` times `[.., k, n]` is `[.., m, n]`. Leading axes broadcast,
    /// and any operand may have any strides.
    ///
    /// # Errors
    /// [`KernelError::DType`] for truths and integers of less than 32 bits, and for integers with factors;
    /// [`KernelError::RankTooSmall`], [`KernelError::Product`] when the sides do not fit each other,
    /// [`KernelError::DTypeMismatch`] and [`KernelError::ShapeMismatch`] when the result or the bias does not fit.
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

    /// Packs a matrix that is to be the right side of products.
    ///
    /// # Errors
    /// [`KernelError::DType`] for dtypes without products, [`KernelError::Rank`] unless there are two axes.
    fn pack_matrix(&self, matrix: &AnyView<'_>) -> Result<PackedMatrix, KernelError>;
}
