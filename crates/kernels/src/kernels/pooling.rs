//! `PoolingKernels`: the part of the seam for pooling.

use std::fmt::Debug;

use crate::pool::Window;
use crate::{AnyView, AnyViewMut, KernelError};

/// Operations on windows of images of shape (batch, channels, ...), with one to three axes after the channels.
///
/// The layout is what strides say: images whose channels are neighbours in memory are pooled channel by channel at once.
/// What a window sees and which element wins is told in [`pool`](crate::pool); the result has the shape that
/// [`Window::output_shape`] gives.
pub trait PoolingKernels: Debug + Send + Sync {
    /// The maximum of each window, of floats or integers: bits are moved, NaN included.
    ///
    /// With `indices`, of I32 or I64 and the result's shape, also where in its image, in row-major order, each maximum was
    /// found: `iy * width + ix` for images of two axes.
    ///
    /// # Errors
    /// [`KernelError::Pooling`], [`KernelError::DType`] for bool, [`KernelError::DTypeMismatch`] and
    /// [`KernelError::ShapeMismatch`] when the result or the indices are of another kind.
    fn max_pool(
        &self,
        window: &Window,
        x: &AnyView<'_>,
        result: &mut AnyViewMut<'_>,
        indices: Option<&mut AnyViewMut<'_>>,
    ) -> Result<(), KernelError>;

    /// The average of each window, of floats. With `count_padding` the divisor is the number of the window's elements within
    /// image and padding, else of those within the image.
    ///
    /// # Errors
    /// Those of [`max_pool`](Self::max_pool), and [`KernelError::DType`] for integers too.
    fn average_pool(
        &self,
        window: &Window,
        count_padding: bool,
        x: &AnyView<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError>;

    /// The root of the sum of the magnitudes' powers in each window, of floats: `(Σ |x|^p)^(1/p)`.
    ///
    /// # Errors
    /// Those of [`average_pool`](Self::average_pool).
    fn lp_pool(
        &self,
        window: &Window,
        power: i64,
        x: &AnyView<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError>;

    /// Puts elements at indices, which count in row-major order through the whole result, and zeros everywhere else. Where
    /// an index comes again, the last element stays. Bits are moved.
    ///
    /// # Errors
    /// [`KernelError::Pooling`] for an index outside the result, found before anything is written;
    /// [`KernelError::DTypeMismatch`] and [`KernelError::ShapeMismatch`].
    fn max_unpool(
        &self,
        x: &AnyView<'_>,
        indices: &AnyView<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError>;
}
