//! What a tensor is, in numbers.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(target_endian = "big")]
compile_error!("stratal stores elements little-endian and does not support big-endian targets yet");

#[cfg(test)]
extern crate std;

mod axes;
mod blocked;
mod broadcast;
mod cast;
mod device;
mod dtype;
mod element;
mod error;
mod excerpt;
mod geometry;
pub mod half;
pub mod half_slices;
mod integers;
mod layout;
pub mod payload;
mod reshape;
mod scalar;
mod shape;
mod slicing;
mod strides;
mod walk;

pub use ::half::{bf16, f16};
pub use blocked::BlockedImage;
pub use cast::{CastFrom, cast, cast_slice, try_cast, try_cast_slice};
pub use device::Device;
pub use dtype::{DType, DTypeKind};
pub use element::{Bool, Element};
pub use error::{CastError, DTypeError, DeviceError, Error, ShapeError, ViewError};
pub use excerpt::Excerpt;
pub use geometry::Geometry;
pub use integers::Integers;
pub use layout::{ChannelBlock, Layout};
pub use scalar::Scalar;
pub use shape::{MAX_BYTES, MAX_COUNT, MAX_EXTENT, MAX_RANK, Shape};
pub use strides::Strides;
pub use walk::{Runs, Walk};
