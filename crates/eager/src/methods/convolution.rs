//! Convolutions and pooling of images.

use stratal_ops as ops;
use stratal_ops::{Filter, Sliding, SlidingPadding, Windows};

use crate::{EagerError, Var, apply};

/// How weights slide over images with so many axes after the channels. By default they move by one, without padding.
///
/// ```
/// use stratal_eager::ConvOptions;
///
/// let same = ConvOptions { padding: [1, 1], ..Default::default() };
/// assert_eq!(same, ConvOptions { strides: [1, 1], padding: [1, 1], dilations: [1, 1], groups: 1 });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConvOptions<const AXES: usize> {
    /// Elements between the starts of neighbouring windows.
    pub strides: [i64; AXES],
    /// Zeros at both ends of each axis.
    pub padding: [i64; AXES],
    /// Elements between neighbours within a window.
    pub dilations: [i64; AXES],
    /// The groups that channels are divided into: each output channel sees the channels of its group.
    pub groups: usize,
}

impl<const AXES: usize> Default for ConvOptions<AXES> {
    fn default() -> Self {
        Self { strides: [1; AXES], padding: [0; AXES], dilations: [1; AXES], groups: 1 }
    }
}

impl<const AXES: usize> ConvOptions<AXES> {
    fn filter(&self) -> Filter {
        let sliding = sliding(self.strides, self.padding, self.dilations);
        Filter { sliding, groups: self.groups, ..Filter::default() }
    }
}

/// How windows slide over images with so many axes after the channels. By default one begins where the last one ends, without
/// padding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolOptions<const AXES: usize> {
    /// Elements between the starts of neighbouring windows; none mean the extents of a window.
    pub strides: Option<[i64; AXES]>,
    /// Padding at both ends of each axis, below the extent of a window.
    pub padding: [i64; AXES],
    /// Elements between neighbours within a window.
    pub dilations: [i64; AXES],
    /// Whether the number of windows is rounded up.
    pub ceil: bool,
}

impl<const AXES: usize> Default for PoolOptions<AXES> {
    fn default() -> Self {
        Self { strides: None, padding: [0; AXES], dilations: [1; AXES], ceil: false }
    }
}

impl<const AXES: usize> PoolOptions<AXES> {
    fn windows(&self, kernel: [i64; AXES]) -> Windows {
        let sliding = sliding(self.strides.unwrap_or(kernel), self.padding, self.dilations);
        Windows { kernel: kernel.to_vec(), sliding, ceil: self.ceil }
    }
}

fn sliding<const AXES: usize>(strides: [i64; AXES], padding: [i64; AXES], dilations: [i64; AXES]) -> Sliding {
    let padding = SlidingPadding::Explicit([padding, padding].concat());
    Sliding { strides: strides.to_vec(), dilations: dilations.to_vec(), padding }
}

macro_rules! convolutions {
    ($($(#[$about:meta])* $name:ident of $axes:literal),* $(,)?) => {
        impl Var {
            $(
                $(#[$about])*
                /// The weights have shape (output channels, channels of a group, ...), and the bias, if there is one, a number for
                /// each output channel.
                ///
                /// # Errors
                /// [`EagerError::Operator`] when they do not fit.
                pub fn $name(
                    &self,
                    weight: &Self,
                    bias: Option<&Self>,
                    options: ConvOptions<$axes>,
                ) -> Result<Self, EagerError> {
                    convolve(self, weight, bias, options.filter())
                }
            )*
        }
    };
}

convolutions! {
    /// Convolves sequences of shape (batch, channels, length).
    conv1d of 1,
    /// Convolves images of shape (batch, channels, height, width).
    ///
    /// ```
    /// use stratal_eager::{ConvOptions, Var};
    ///
    /// let images = Var::from_slice(&[1.0_f32, 2.0, 3.0, 4.0], &[1, 1, 2, 2])?;
    /// let weight = Var::leaf(&[1.0_f32, 10.0], &[1, 1, 1, 2])?;
    /// let convolved = images.conv2d(&weight, None, ConvOptions::default())?;
    /// assert_eq!(convolved.to_vec::<f32>()?, [21.0, 43.0]);
    ///
    /// convolved.sum(&[], false)?.backward()?;
    /// assert_eq!(weight.gradient().unwrap().to_vec::<f32>()?, [1.0 + 3.0, 2.0 + 4.0]);
    /// # Ok::<(), stratal_eager::EagerError>(())
    /// ```
    ///
    conv2d of 2,
    /// Convolves volumes of shape (batch, channels, depth, height, width).
    conv3d of 3,
}

fn convolve(x: &Var, weight: &Var, bias: Option<&Var>, filter: Filter) -> Result<Var, EagerError> {
    apply(&ops::Conv { filter }, with_bias(&[Some(x), Some(weight), bias]))
}

/// Without the bias if there is none.
fn with_bias<'a, 'b>(inputs: &'a [Option<&'b Var>; 3]) -> &'a [Option<&'b Var>] {
    if inputs[2].is_some() { inputs } else { &inputs[..2] }
}

impl Var {
    /// Spreads images of shape (batch, channels, height, width) by weights of shape (channels, output channels of a group, height,
    /// width): the opposite of [`conv2d`](Self::conv2d), whose padding it cuts off. So many elements are added at the end of
    /// each axis as the output padding says, of those that strides leave open.
    ///
    /// # Errors
    /// [`EagerError::Operator`] when they do not fit.
    pub fn conv_transpose2d(
        &self,
        weight: &Self,
        bias: Option<&Self>,
        options: ConvOptions<2>,
        output_padding: [i64; 2],
    ) -> Result<Self, EagerError> {
        let operator = ops::ConvTranspose {
            filter: options.filter(),
            output_padding: output_padding.to_vec(),
            output_shape: Vec::new(),
        };
        apply(&operator, with_bias(&[Some(self), Some(weight), bias]))
    }

    /// The maximum of each window of images of shape (batch, channels, height, width). The gradient goes to the first of equal
    /// ones.
    ///
    /// # Errors
    /// [`EagerError::Operator`] when windows and images do not fit.
    pub fn max_pool2d(&self, kernel: [i64; 2], options: PoolOptions<2>) -> Result<Self, EagerError> {
        let windows = options.windows(kernel);
        apply(&ops::MaxPool { windows, storage_order: ops::StorageOrder::RowMajor }, &[Some(self)])
    }

    /// The average of each window of images of shape (batch, channels, height, width), padding not counted.
    ///
    /// # Errors
    /// [`EagerError::Operator`] when windows and images do not fit.
    pub fn average_pool2d(&self, kernel: [i64; 2], options: PoolOptions<2>) -> Result<Self, EagerError> {
        apply(&ops::AveragePool { windows: options.windows(kernel), count_padding: false }, &[Some(self)])
    }
}
