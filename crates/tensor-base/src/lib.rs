//! What a tensor is, in numbers.
//!
//! This crate holds the facts that every layer of a tensor stack must agree on, and nothing that needs memory: which
//! element types there are and what each conversion between them gives, which shapes exist, and which element of a
//! buffer a view means. It is `no_std`, has no unsafe code, and allocates nothing, errors included; shapes and
//! geometries are small `Copy` values.
//!
//! | to know about | read |
//! |---|---|
//! | element types, their names and codes | [`DType`], [`Element`], [`Bool`], [`Scalar`], [`match_dtype!`] |
//! | extents and their limits, broadcasting, reshape requests | [`Shape`] |
//! | views: strides, slices, permutations, windows, reshapes | [`Geometry`], [`Strides`] |
//! | visiting elements as few contiguous runs | [`Walk`] |
//! | image layouts, channel blocks | [`Layout`], [`BlockedImage`] |
//! | f32 to binary16 and bfloat16 and back, bit for bit | [`mod@half`], [`payload`], [`half_slices`] |
//! | casts between all element types | [`cast()`], [`try_cast`], [`cast_slice`], [`try_cast_slice`] |
//! | where bytes live, as a name | [`Device`] |
//!
//! Every function takes any input: what comes from files and requests is answered with a value or with an error that
//! names the value, never with a panic or a wrapped number.
//!
//! ```
//! use stratal_tensor_base::{DType, Geometry, Shape, cast, half::f32_to_bf16};
//!
//! // A batch of two 3 x 4 matrices, row-major, and a view of it: each transposed, every other row, reversed.
//! let batch = Geometry::contiguous(Shape::new(&[2, 3, 4])?);
//! let view = batch.transpose(1, 2)?.slice(1, None, None, -2)?;
//! assert_eq!(view.shape().extents(), [2, 2, 3]);
//! assert_eq!(view.strides(), [12, -2, 4]);
//! assert_eq!(view.offsets().take(4).collect::<Vec<_>>(), [3, 7, 11, 1]);
//!
//! assert_eq!(batch.shape().bytes(DType::F16)?, 48);
//! assert_eq!(f32_to_bf16(2.71).to_f32(), 2.703125);
//! assert_eq!(cast::<f32, i8>(-200.5), -128);
//! # Ok::<(), stratal_tensor_base::Error>(())
//! ```
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
pub use cast::{CastFrom, CastFromAny, cast, cast_slice, try_cast, try_cast_slice};
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
pub use walk::{Runs, Walk, WalkAxis};

/// The example of the README, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
