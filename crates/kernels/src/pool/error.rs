//! `PoolingError`: what can be wrong with a window, with the values involved.

use stratal_tensor_base::{DType, Shape};

/// A window that does not fit its images, or indices that do not fit their result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PoolingError {
    /// Windows have one to three axes.
    #[error("a window of {axes} axes: expected 1 to 3")]
    AxisCount {
        /// The number of axes of the window.
        axes: usize,
    },
    /// Images have a batch and a channel axis before the axes of the window.
    #[error("a window of {axes} axes needs images of rank {}, found {shape}", axes + 2)]
    Rank {
        /// The number of axes of the window.
        axes: usize,
        /// The shape of the images.
        shape: Shape,
    },
    /// Kernel, stride and dilation are at least 1.
    #[error("the window's {what} along axis {axis} is {value}: expected at least 1")]
    BelowOne {
        /// Kernel, stride or dilation.
        what: &'static str,
        /// The axis of the window.
        axis: usize,
        /// The value.
        value: i64,
    },
    /// A kernel longer than any axis of a shape.
    #[error("the window's kernel along axis {axis} is {kernel}: expected at most {most}")]
    TooLong {
        /// The axis of the window.
        axis: usize,
        /// The number of elements.
        kernel: i64,
        /// The greatest number allowed.
        most: i64,
    },
    /// Pads are at least 0 and below the kernel, dilated or not, so that a window reaches into the image.
    #[error(
        "the window's padding along axis {axis} is {begin} and {end}: expected 0 up to the kernel of {kernel}, which is excluded"
    )]
    Padding {
        /// The axis of the window.
        axis: usize,
        /// Padding before the image.
        begin: i64,
        /// Padding behind the image.
        end: i64,
        /// The undilated kernel.
        kernel: i64,
    },
    /// An image without elements has no windows.
    #[error("images of shape {shape} have no elements along axis {axis} of the window")]
    EmptyImage {
        /// The axis of the window.
        axis: usize,
        /// The shape of the images.
        shape: Shape,
    },
    /// The window is longer than the padded image.
    #[error("a window of {reach} elements along axis {axis} does not fit into {extent} with padding of {padding}")]
    NoOutput {
        /// The axis of the window.
        axis: usize,
        /// Elements from the first of the window to its last.
        reach: i64,
        /// The image's extent.
        extent: u32,
        /// Padding at both ends.
        padding: i64,
    },
    /// A dilated window steps over the image.
    #[error(
        "window {position} along axis {axis} touches none of {extent} elements: it starts at {start} with dilation {dilation}"
    )]
    Untouched {
        /// The axis of the window.
        axis: usize,
        /// The position of the window.
        position: usize,
        /// Where it starts.
        start: i64,
        /// The distance of its elements.
        dilation: i64,
        /// The image's extent.
        extent: u32,
    },
    /// A power mean needs a power of at least 1.
    #[error("the power of a power pooling is {power}: expected at least 1")]
    Power {
        /// The power.
        power: i64,
    },
    /// Indices are I32 or I64.
    #[error("{operation} needs indices of int32 or int64, found {found}")]
    IndexDType {
        /// The operation's name.
        operation: &'static str,
        /// The dtype of the indices.
        found: DType,
    },
    /// An index that points past the result.
    #[error("index {index} at position {position} is outside a result of {count} elements")]
    Index {
        /// The index.
        index: i64,
        /// Its position among the indices, in row-major order.
        position: usize,
        /// Elements of the result.
        count: usize,
    },
}
