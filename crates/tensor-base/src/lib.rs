//! What a tensor is, in numbers.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(target_endian = "big")]
compile_error!("stratal stores elements little-endian and does not support big-endian targets yet");

#[cfg(test)]
extern crate std;

mod device;
mod error;
mod excerpt;

pub use device::Device;
pub use error::DeviceError;
pub use excerpt::Excerpt;
