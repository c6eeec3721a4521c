//! Pooling: windows over images, and what is taken from each.
//!
//! # The rules
//! - Output `o` sees the elements from `o * stride - pad_begin` on, `dilation` apart, as far as they are inside the image:
//!   padding never wins a maximum and adds nothing to a sum.
//! - The maximum is the first NaN of a window, bits unchanged, if it has one; else the first of the largest elements in
//!   row-major order of the window, zeros of two signs being equal.
//! - Sums add each row of a window from its first element on, and then the sums of rows, from the first on. Averages
//!   divide once. 16-bit floats do so in f32 and are narrowed once.
//!
//! # How it works
//! Everything is made of one step: *folding* rows of equal length into one, element by element (`fold`). Across an image's
//! row, the operands are the row shifted by each element of the window, in a copy that has padding at its ends and, for
//! strides, is taken apart by position within the stride (`plan`). What comes out, one row an image row, is kept for as long
//! as windows overlap, and folded again downward (`images`). Where channels are neighbours in memory, they are the rows that
//! are folded across. `driver` looks at strides and threads; `maximum` and `sum` are what is folded.

pub(crate) mod driver;
mod error;
mod fold;
mod images;
mod maximum;
mod plan;
mod split;
pub(crate) mod sum;
pub(crate) mod unpool;
mod window;

pub use error::PoolingError;
pub(crate) use window::Span;
pub use window::{AutoPad, Window, WindowAxis};
