//! `ConvolutionError`: what can be wrong with a convolution, with the values involved.

use stratal_tensor_base::{Excerpt, Shape};

/// A kernel that does not fit its images.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConvolutionError {
    /// Convolutions have one to three axes.
    #[error("a convolution of {axes} axes: expected 1 to 3")]
    AxisCount {
        /// The number of axes.
        axes: usize,
    },
    /// Images and weights have two axes before those of the convolution.
    #[error(
        "a convolution of {axes} axes needs images and weights of rank {}, found {images} and {weights}",
        axes + 2
    )]
    Rank {
        /// The number of axes of the convolution.
        axes: usize,
        /// The shape of the images.
        images: Shape,
        /// The shape of the weights.
        weights: Shape,
    },
    /// The channels of images, weights and groups do not agree.
    #[error("images of {images} and weights of {weights} do not fit in {groups} groups of channels")]
    Channels {
        /// The shape of the images.
        images: Shape,
        /// The shape of the weights: output channels, then channels of a group.
        weights: Shape,
        /// The number of groups.
        groups: usize,
    },
    /// The channels of images, weights and groups of a transposed convolution do not agree.
    #[error("images of {images} and transposed weights of {weights} do not fit in {groups} groups of channels")]
    TransposedChannels {
        /// The shape of the images.
        images: Shape,
        /// The shape of the weights: channels, then output channels of a group.
        weights: Shape,
        /// The number of groups.
        groups: usize,
    },
    /// A number is too small.
    #[error("the convolution's {what} along axis {axis} is {value}: expected at least {least}")]
    TooSmall {
        /// What the number says.
        what: &'static str,
        /// The axis of the convolution.
        axis: usize,
        /// The number.
        value: i64,
        /// The least that will do.
        least: i64,
    },
    /// A number is too large.
    #[error("the convolution's {what} along axis {axis} is {value}: expected at most {most}")]
    TooFar {
        /// What the number says.
        what: &'static str,
        /// The axis of the convolution.
        axis: usize,
        /// The number.
        value: i64,
        /// The most that will do.
        most: i64,
    },
    /// A kernel without elements.
    #[error("weights of {weights} have no elements along axis {axis} of the convolution")]
    EmptyKernel {
        /// The axis of the convolution.
        axis: usize,
        /// The shape of the weights.
        weights: Shape,
    },
    /// More is cut off from a transposed result than it has.
    #[error("padding of {begin} and {end} leaves nothing of {reached} elements along axis {axis}")]
    Cut {
        /// The axis of the convolution.
        axis: usize,
        /// The elements that the image is spread over.
        reached: i64,
        /// Elements cut off at the beginning.
        begin: i64,
        /// Elements cut off at the end.
        end: i64,
    },
    /// An image without elements is spread over nothing.
    #[error("images of {images} have no elements along axis {axis} of the convolution")]
    EmptyImage {
        /// The axis of the convolution.
        axis: usize,
        /// The shape of the images.
        images: Shape,
    },
    /// Images with their padding are much larger than without, or beyond the limit of tensors.
    #[error("an image of {images} has {padded} elements with its padding: too many to be copied")]
    TooLarge {
        /// The shape of the images.
        images: Shape,
        /// The elements of one image with its padding.
        padded: i64,
    },
    /// The kernel is longer than the padded image.
    #[error("a kernel that reaches over {reach} elements along axis {axis} does not fit into {padded}")]
    NoOutput {
        /// The axis of the convolution.
        axis: usize,
        /// Elements from the first that a window sees to the last.
        reach: i64,
        /// Elements with padding.
        padded: i64,
    },
    /// The strategy asked for cannot compute this convolution.
    #[error(
        "strategy {strategy} does not fit: it needs a kernel of one element that moves by one, one group, no padding"
    )]
    Strategy {
        /// The strategy asked for.
        strategy: super::Strategy,
    },
    /// No strategy has this name.
    #[error("unknown strategy {name}: expected one of pointwise, implicit, direct")]
    UnknownStrategy {
        /// The beginning of the name.
        name: Excerpt,
    },
}
