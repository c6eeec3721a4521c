//! Convolution: sums over channels and windows, as products whose right or left side is the patches of an image.
//!
//! # The rules
//! - Output channel `m` at position `o` is the sum over the channels `c` of its group and the elements `i` of the kernel of
//!   `x[c, o * stride - pad_begin + i * dilation] * weights[m, c, i]`. Outside the image lie zeros, and they are multiplied
//!   like any element: zero times infinity is NaN.
//! - The order of a sum is one for all (`depth.rs`): blocks of sixteen channels, in each the elements of the kernel in
//!   row-major order, for each the channels. Fast sums are made of blocks of depth as in a product of matrices: as many whole
//!   blocks of channels as fit in 256 terms, and at least one. No strategy and no layout changes that, so a kernel of one
//!   element is a product of matrices, bit for bit.
//!
//! # How it works
//! ```text
//!   pointwise  a kernel of one element: the image is a side of the product as it lies
//!   implicit   the image is copied with its padding; patches are packed from it block by block, and never stored whole
//!   direct     sixteen outputs at a time, read from the padded image: for few channels, such as one a group
//! ```

mod attributes;
mod bytes;
mod depth;
mod direct;
mod driver;
mod error;
mod filter;
mod gradient;
mod images;
mod padded;
mod patches;
mod transposed;
mod unrounded;

pub use attributes::{Convolution, ConvolutionAxis, Strategy, TransposedConvolution};
pub(crate) use bytes::{FittedBytes, Windows, run as run_bytes};
pub(crate) use depth::Depth;
pub(crate) use driver::{Fitted, choose, run};
pub use error::ConvolutionError;
pub(crate) use gradient::weight_gradient;
pub(crate) use images::{Images, Steps};
pub(crate) use transposed::run as run_transposed;
