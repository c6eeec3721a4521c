//! A layered tensor stack under one name: tensors, gradients, operators.
//!
//! This crate computes nothing. It names what users of several layers need, and has one [`Error`] for all of them.
//!
//! ```
//! use stratal::prelude::*;
//!
//! // Fit a line through four points.
//! let (x, y) = (Var::from_slice(&[0.0, 1.0, 2.0, 3.0_f32], &[4])?, Var::from_slice(&[1.0, 3.0, 5.0, 7.0_f32], &[4])?);
//! let mut parameters = Parameters::new();
//! let slope = parameters.add("slope", Var::leaf(&[0.0_f32], &[])?)?;
//! let offset = parameters.add("offset", Var::leaf(&[0.0_f32], &[])?)?;
//! let mut optimizer = Adam::new(parameters, 0.1);
//! for _ in 0..400 {
//!     optimizer.clear_gradients();
//!     mse(&(&x * &slope + &offset), &y, LossReduction::Mean)?.backward()?;
//!     optimizer.step()?;
//! }
//! assert!((slope.item()? - 2.0).abs() < 1e-2 && (offset.item()? - 1.0).abs() < 1e-2);
//! # Ok::<(), stratal::Error>(())
//! ```
//!
//! # Where to look
//! | for | see |
//! |---|---|
//! | variables, gradients, optimisers, losses | [`eager`] |
//! | model and array files | [`formats`] |
//! | every operator, its shape rule and its computation | [`ops`] |
//! | tensors and their views | [`tensor`] |
//! | records, hooks and engines of one's own | [`autograd`] |
//! | kernels, backends, threads | [`kernels`] |
//! | buffers, pools, arenas, mapped files | [`memory`] |
//! | dtypes, shapes, conversions | [`base`] |
#![forbid(unsafe_code)]

mod error;
pub mod prelude;

pub use error::{Error, Result};
pub use stratal_autograd as autograd;
pub use stratal_eager as eager;
pub use stratal_formats as formats;
pub use stratal_kernels as kernels;
pub use stratal_memory as memory;
pub use stratal_ops as ops;
pub use stratal_tensor as tensor;
pub use stratal_tensor_base as base;

/// The example of the README, as a test.
#[cfg(doctest)]
mod readme {
    #[doc = include_str!("../README.md")]
    struct Crate;
}

/// The examples of the project's README, as tests.
#[cfg(doctest)]
mod project_readme {
    #[doc = include_str!("../../../README.md")]
    struct Project;
}
