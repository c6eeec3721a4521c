//! Bytes seen through a geometry.
#![forbid(unsafe_code)]

mod access;
mod axes;
mod cast;
mod compare;
mod copy;
mod create;
mod display;
mod elements;
mod error;
mod fill;
mod layout;
#[cfg(feature = "ndarray")]
mod ndarray;
mod reshape;
mod slice;
mod tensor;
mod view;

pub use access::{Data, DataMut, ViewGuard, ViewMutGuard, access};
pub use compare::{Comparison, Mismatch, Tolerance};
pub use create::{Allocator, TensorOptions};
pub use display::Printed;
pub use error::TensorError;
pub use stratal_memory as memory;
pub use stratal_tensor_base as base;
pub use tensor::Tensor;
pub use view::{View, ViewMut};
