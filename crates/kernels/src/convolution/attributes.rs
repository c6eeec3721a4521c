//! `Convolution` and `TransposedConvolution`: how kernels move over images, and what shapes come of it.

use std::fmt;
use std::str::FromStr;

use stratal_tensor_base::{Excerpt, Shape};

use super::ConvolutionError;
use crate::KernelError;
use crate::pool::{AutoPad, WindowAxis};

/// A convolution of images of shape (batch, channels, ...) with one to three axes after the channels, by weights of shape
/// (output channels, channels of a group, ...).
///
/// ```
/// use stratal_kernels::convolution::{Convolution, ConvolutionAxis};
/// use stratal_tensor_base::Shape;
///
/// let axis = ConvolutionAxis { stride: 2, pad_begin: 3, pad_end: 3, ..ConvolutionAxis::default() };
/// let convolution = Convolution::new(vec![axis; 2]);
/// let (images, weights) = (Shape::new(&[1, 3, 224, 224])?, Shape::new(&[64, 3, 7, 7])?);
/// assert_eq!(convolution.output_shape(&images, &weights)?, Shape::new(&[1, 64, 112, 112])?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Convolution {
    /// One to three axes, outermost first.
    pub axes: Vec<ConvolutionAxis>,
    /// The groups that channels are divided into: each output channel sees the channels of its group.
    pub groups: usize,
    /// How to compute it; `None` leaves that to the problem. The bits are the same.
    pub strategy: Option<Strategy>,
}

/// How a kernel moves along one axis. The default moves by one, without padding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConvolutionAxis {
    /// Elements between the starts of neighbouring windows, at least 1.
    pub stride: i64,
    /// Elements between neighbours within a window, at least 1.
    pub dilation: i64,
    /// Zeros before the image.
    pub pad_begin: i64,
    /// Zeros behind the image.
    pub pad_end: i64,
}

/// A way to compute convolutions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Strategy {
    /// A product of matrices on the image as it lies: for kernels of one element that move by one, without padding or groups.
    Pointwise,
    /// A product of matrices on patches that are packed block by block.
    Implicit,
    /// Output by output, from a padded copy: for few channels a group.
    Direct,
}

impl Strategy {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Pointwise, Self::Implicit, Self::Direct];

    /// The name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pointwise => "pointwise",
            Self::Implicit => "implicit",
            Self::Direct => "direct",
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Strategy {
    type Err = ConvolutionError;

    fn from_str(name: &str) -> Result<Self, ConvolutionError> {
        let found = Self::ALL.into_iter().find(|strategy| strategy.name() == name);
        found.ok_or(ConvolutionError::UnknownStrategy { name: Excerpt::new(name) })
    }
}

impl Default for ConvolutionAxis {
    fn default() -> Self {
        Self { stride: 1, dilation: 1, pad_begin: 0, pad_end: 0 }
    }
}

impl ConvolutionAxis {
    /// The same with padding that follows from the extents of image and kernel (ONNX, `auto_pad`).
    ///
    /// # Errors
    /// [`PoolingError::BelowOne`](crate::pool::PoolingError::BelowOne), with axis 0.
    pub fn with_auto_pad(self, padding: AutoPad, extent: u32, kernel: u32) -> Result<Self, KernelError> {
        let window = WindowAxis {
            kernel: i64::from(kernel).max(1),
            stride: self.stride,
            dilation: self.dilation,
            pad_begin: 0,
            pad_end: 0,
        };
        let WindowAxis { pad_begin, pad_end, .. } = window.with_auto_pad(padding, extent)?;
        Ok(Self { pad_begin, pad_end, ..self })
    }

    /// From the first element of a window to the last, both included.
    fn reach(&self, kernel: u32) -> i128 {
        (i128::from(kernel) - 1) * i128::from(self.dilation) + 1
    }

    fn check(&self, axis: usize, most: i64) -> Result<(), ConvolutionError> {
        for (what, value, least) in [
            ("stride", self.stride, 1),
            ("dilation", self.dilation, 1),
            ("padding before the image", self.pad_begin, 0),
            ("padding behind the image", self.pad_end, 0),
        ] {
            if value < least {
                return Err(ConvolutionError::TooSmall { what, axis, value, least });
            }
            if value > most {
                return Err(ConvolutionError::TooFar { what, axis, value, most });
            }
        }
        Ok(())
    }
}

/// Elements of a padded image that are allowed whatever the image, and of all that are padded one after the other.
const MOST_PADDED: [u32; 2] = [1 << 24, 1 << 28];
/// The largest numbers of a transposed convolution: what is spread or cut further is beyond any shape.
const MOST_SPREAD: i64 = i32::MAX as i64;

impl Convolution {
    /// With one group.
    pub const fn new(axes: Vec<ConvolutionAxis>) -> Self {
        Self { axes, groups: 1, strategy: None }
    }

    /// The shape of the result for images and weights.
    ///
    /// # Errors
    /// [`ConvolutionError`], and [`KernelError::Shape`] beyond the limits of shapes.
    pub fn output_shape(&self, images: &Shape, weights: &Shape) -> Result<Shape, KernelError> {
        let axes = self.axes.len();
        check_ranks(axes, images, weights)?;
        let (image, kernel) = (images.extents(), weights.extents());
        let groups = self.groups as u64;
        let fits = groups > 0
            && u64::from(kernel[1]).checked_mul(groups) == Some(image[1].into())
            && u64::from(kernel[0]).is_multiple_of(groups);
        if !fits {
            return Err(ConvolutionError::Channels { images: *images, weights: *weights, groups: self.groups }.into());
        }
        let mut extents: Vec<i64> = [image[0], kernel[0]].iter().map(|extent| i64::from(*extent)).collect();
        let mut padded_count = i128::from(image[1].max(1));
        for (number, axis) in self.axes.iter().enumerate() {
            axis.check(number, i64::MAX)?;
            let (extent, kernel) = (image[number + 2], kernel[number + 2]);
            if kernel == 0 {
                return Err(ConvolutionError::EmptyKernel { axis: number, weights: *weights }.into());
            }
            let padded = i128::from(extent) + i128::from(axis.pad_begin) + i128::from(axis.pad_end);
            let room = padded - axis.reach(kernel);
            padded_count = padded_count.saturating_mul(padded);
            if room < 0 {
                let (reach, padded) = (clamp(axis.reach(kernel)), clamp(padded));
                return Err(ConvolutionError::NoOutput { axis: number, reach, padded }.into());
            }
            extents.push(clamp(room / i128::from(axis.stride) + 1));
        }
        // A copy of each image with its padding is made: of a small image, it must not be a huge one, however many there are.
        let (batch, count) = (i128::from(image[0]), images.count() as i128);
        let most_of_one =
            i128::from(MOST_PADDED[0]).max(4 * count.checked_div(batch).unwrap_or(0)).min(i32::MAX.into());
        let most_of_all = i128::from(MOST_PADDED[1]).max(16 * count);
        if padded_count > most_of_one || padded_count.saturating_mul(batch) > most_of_all {
            return Err(ConvolutionError::TooLarge { images: *images, padded: clamp(padded_count) }.into());
        }
        Ok(Shape::new(&extents)?)
    }

    /// The convolution whose result is the gradient with respect to images of a shape, given the gradient with respect to the
    /// result: by the same weights, transposed. Elements of the image that no window sees get zeros.
    ///
    /// # Errors
    /// Those of [`output_shape`](Self::output_shape).
    pub fn input_gradient(&self, images: &Shape, weights: &Shape) -> Result<TransposedConvolution, KernelError> {
        let output = self.output_shape(images, weights)?;
        let output_padding = self.axes.iter().enumerate().map(|(number, axis)| {
            let (extent, windows) = (images.extents()[number + 2], output.extents()[number + 2]);
            let seen = (i64::from(windows) - 1) * axis.stride + clamp(axis.reach(weights.extents()[number + 2]));
            i64::from(extent) + axis.pad_begin + axis.pad_end - seen
        });
        // Beyond the limit of a transposed convolution, a stride has one window to move and a dilation one element to part.
        let cut = |axis: &ConvolutionAxis| ConvolutionAxis {
            stride: axis.stride.min(MOST_SPREAD),
            dilation: axis.dilation.min(MOST_SPREAD),
            ..*axis
        };
        Ok(TransposedConvolution {
            axes: self.axes.iter().map(cut).collect(),
            output_padding: output_padding.collect(),
            groups: self.groups,
        })
    }
}

/// A transposed convolution: each element of an image is spread over a window of the result, by weights of shape (channels,
/// output channels of a group, ...).
///
/// `result[m, i * stride - pad_begin + j * dilation]` gets `x[c, i] * weights[c, m, j]`, where that lies within the result.
/// Where nothing is spread to are zeros. Fast sums add, for one element of the kernel after another, the sum over the
/// channels, which is that of a product of matrices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransposedConvolution {
    /// One to three axes, outermost first. Pads are cut off from the result.
    pub axes: Vec<ConvolutionAxis>,
    /// Elements more at the end of each axis of the result.
    pub output_padding: Vec<i64>,
    /// The groups that channels are divided into.
    pub groups: usize,
}

impl TransposedConvolution {
    /// With one group, and no padding of the result.
    pub fn new(axes: Vec<ConvolutionAxis>) -> Self {
        Self { output_padding: vec![0; axes.len()], axes, groups: 1 }
    }

    /// The shape of the result for images and weights.
    ///
    /// # Errors
    /// [`ConvolutionError`], [`KernelError::ListLength`] unless each axis has an output padding, and [`KernelError::Shape`] beyond
    /// the limits of shapes.
    pub fn output_shape(&self, images: &Shape, weights: &Shape) -> Result<Shape, KernelError> {
        let axes = self.axes.len();
        check_ranks(axes, images, weights)?;
        if self.output_padding.len() != axes {
            let (list, found) = ("output paddings", self.output_padding.len());
            return Err(KernelError::ListLength { operation: "convolve_transposed", list, expected: axes, found });
        }
        let (image, kernel) = (images.extents(), weights.extents());
        let channels = u64::from(kernel[1]).checked_mul(self.groups as u64);
        let fits = kernel[0] == image[1] && self.groups > 0 && u64::from(image[1]).is_multiple_of(self.groups as u64);
        let (true, Some(channels)) = (fits, channels) else {
            return Err(ConvolutionError::TransposedChannels {
                images: *images,
                weights: *weights,
                groups: self.groups,
            }
            .into());
        };
        let mut extents = vec![i64::from(image[0]), i64::try_from(channels).unwrap_or(i64::MAX)];
        for (number, (axis, padding)) in self.axes.iter().zip(&self.output_padding).enumerate() {
            axis.check(number, MOST_SPREAD)?;
            let (extent, kernel) = (image[number + 2], kernel[number + 2]);
            if kernel == 0 {
                return Err(ConvolutionError::EmptyKernel { axis: number, weights: *weights }.into());
            }
            if *padding < 0 {
                let (what, value) = ("padding of the result", *padding);
                return Err(ConvolutionError::TooSmall { what, axis: number, value, least: 0 }.into());
            }
            if extent == 0 {
                return Err(ConvolutionError::EmptyImage { axis: number, images: *images }.into());
            }
            let reached = (i128::from(extent) - 1) * i128::from(axis.stride) + axis.reach(kernel);
            let extent_out = reached + i128::from(*padding) - i128::from(axis.pad_begin) - i128::from(axis.pad_end);
            if extent_out < 0 {
                let (begin, end) = (axis.pad_begin, axis.pad_end);
                return Err(ConvolutionError::Cut { axis: number, reached: clamp(reached), begin, end }.into());
            }
            extents.push(clamp(extent_out));
        }
        Ok(Shape::new(&extents)?)
    }
}

impl TransposedConvolution {
    /// The convolution whose result is the gradient with respect to images of a shape, given the gradient with respect to the
    /// result, and how many elements of the latter it takes along each axis: narrow it to these. What lies behind them is
    /// output padding, to which nothing is spread.
    ///
    /// The gradient with respect to the weights is [`convolve_weight_gradient`] of the same convolution, with the gradient
    /// in place of the images and the images in place of the gradient.
    ///
    /// [`convolve_weight_gradient`]: crate::ConvolutionKernels::convolve_weight_gradient
    ///
    /// # Errors
    /// Those of [`output_shape`](Self::output_shape), and [`ConvolutionError::TooLarge`] for pads that no convolution has.
    pub fn input_gradient(&self, images: &Shape, weights: &Shape) -> Result<(Convolution, Vec<i64>), KernelError> {
        let output = self.output_shape(images, weights)?;
        let mut axes = self.axes.clone();
        let taken =
            axes.iter_mut().zip(&self.output_padding).zip(&output.extents()[2..]).map(|((axis, padding), extent)| {
                // Where the result was cut by more than it was padded, the gradient of what was cut off is zero.
                let behind = (padding - axis.pad_end).max(0);
                axis.pad_end = (axis.pad_end - padding).max(0);
                let seen = i64::from(*extent) - behind;
                // Where all that is spread was cut off, there is padding alone.
                axis.pad_begin += seen.min(0);
                seen.max(0)
            });
        let taken: Vec<i64> = taken.collect();
        let convolution = Convolution { axes, groups: self.groups, strategy: None };
        let batch_and_channels = output.extents()[..2].iter().map(|extent| i64::from(*extent));
        let gradient: Vec<i64> = batch_and_channels.chain(taken.iter().copied()).collect();
        convolution.output_shape(&Shape::new(&gradient)?, weights)?;
        Ok((convolution, taken))
    }
}

fn check_ranks(axes: usize, images: &Shape, weights: &Shape) -> Result<(), ConvolutionError> {
    if !(1..=3).contains(&axes) {
        return Err(ConvolutionError::AxisCount { axes });
    }
    if images.rank() != axes + 2 || weights.rank() != axes + 2 {
        return Err(ConvolutionError::Rank { axes, images: *images, weights: *weights });
    }
    Ok(())
}

fn clamp(value: i128) -> i64 {
    i64::try_from(value).unwrap_or(if value < 0 { i64::MIN } else { i64::MAX })
}
