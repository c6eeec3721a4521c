//! `ConvolutionKernels`: the part of the seam that convolves.

use std::fmt::Debug;

use crate::convolution::{Convolution, TransposedConvolution};
use crate::{AnyView, AnyViewMut, Epilogue, KernelError, ZeroPoints};

/// Convolutions of floats, and of bytes, over images of shape (batch, channels, ...) with one to three axes after the channels.
///
/// The layout is what strides say: images whose channels are neighbours in memory are a view like any other. What is summed,
/// and in which order, is told in [`convolution`](crate::convolution).
pub trait ConvolutionKernels: Debug + Send + Sync {
    /// Convolves images with weights of shape (output channels, channels of a group, ...). A bias of one number a channel has
    /// the shape (channels, 1, ...); one of shape (channels) would run along the last axis.
    ///
    /// ```
    /// use stratal_kernels::convolution::{Convolution, ConvolutionAxis};
    /// use stratal_kernels::{Epilogue, Selection};
    /// use stratal_tensor::{View, ViewMut};
    /// use stratal_tensor_base::{Geometry, Layout, Shape};
    ///
    /// // Two channels of 2 x 3, channels last: the shape is the same, and the strides say how it lies.
    /// let x = [1.0_f32, 10.0, 2.0, 20.0, 3.0, 30.0, 4.0, 40.0, 5.0, 50.0, 6.0, 60.0];
    /// let images = Geometry::image(Shape::new(&[1, 2, 2, 3])?, Layout::Nhwc)?;
    /// // One kernel of 1 x 2: neighbours of the first channel, and the right one of the second.
    /// let weights = Geometry::contiguous(Shape::new(&[1, 2, 1, 2])?);
    /// let convolution = Convolution::new(vec![ConvolutionAxis::default(); 2]);
    /// let output = Geometry::contiguous(convolution.output_shape(images.shape(), weights.shape())?);
    ///
    /// let mut result = [0.0_f32; 4];
    /// Selection::new().kernels()?.convolve(
    ///     &convolution,
    ///     &View::new(&x, images)?.into(),
    ///     &View::new(&[1.0_f32, 1.0, 0.0, 1.0], weights)?.into(),
    ///     &Epilogue::default(),
    ///     &mut ViewMut::new(&mut result, output)?.into(),
    /// )?;
    /// assert_eq!(result, [1.0 + 2.0 + 20.0, 2.0 + 3.0 + 30.0, 4.0 + 5.0 + 50.0, 5.0 + 6.0 + 60.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`KernelError::DType`] for what is not a float, [`KernelError::Convolution`] for kernels that do not fit,
    /// [`KernelError::DTypeMismatch`] and [`KernelError::ShapeMismatch`] when weights, bias or result do not fit,
    /// [`KernelError::Shape`] beyond the limits of shapes.
    fn convolve(
        &self,
        convolution: &Convolution,
        x: &AnyView<'_>,
        weights: &AnyView<'_>,
        epilogue: &Epilogue<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError>;

    /// Spreads images by weights of shape (channels, output channels of a group, ...). With
    /// [`Convolution::input_gradient`] it is the gradient of a convolution with respect to its images.
    ///
    /// # Errors
    /// Those of [`convolve`](Self::convolve), and [`KernelError::ListLength`] unless each axis has an output padding.
    fn convolve_transposed(
        &self,
        convolution: &TransposedConvolution,
        x: &AnyView<'_>,
        weights: &AnyView<'_>,
        epilogue: &Epilogue<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError>;

    /// Convolves images of u8 or i8 with weights of u8 or i8 into i32: the sum of `(x - zero of x) * (weight - zero of weights)`,
    /// exact modulo 2^32. Padding means zero. The zero point of images (`a`) is one for all; that of the weights (`b`) is one
    /// for all or one an output channel, of shape (channels, 1, ...).
    ///
    /// # Errors
    /// [`KernelError::DType`] for other dtypes, and those of [`convolve`](Self::convolve).
    fn convolve_integer(
        &self,
        convolution: &Convolution,
        x: &AnyView<'_>,
        weights: &AnyView<'_>,
        zero_points: &ZeroPoints<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError>;

    /// The gradient of a convolution with respect to its weights, whose shape the result has, from its images and the gradient
    /// with respect to its result. Fast sums add, image after image, the sum over the positions.
    ///
    /// # Errors
    /// Those of [`convolve`](Self::convolve).
    fn convolve_weight_gradient(
        &self,
        convolution: &Convolution,
        x: &AnyView<'_>,
        gradient: &AnyView<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError>;
}
