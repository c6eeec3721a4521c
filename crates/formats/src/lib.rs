//! Model and array files in and out.
//!
//! | to know about | read |
//! |---|---|
//! | files: read on demand, mapped, or in memory | [`ModelFile`] |
//! | what a file may ask for | [`Limits`] |
//! | tensors of any file, by name, lazily | [`Weights`] |
//! | single formats | [`safetensors`], [`npy`], [`gguf`], [`onnx`] |
//! | what went wrong | [`Error`] |

mod elements;
mod error;
pub mod gguf;
mod limits;
mod model_file;
pub mod npy;
pub mod onnx;
mod replace;
pub mod safetensors;
mod weights;

pub use error::{Error, FileError, Name};
pub use limits::Limits;
pub use model_file::{FileBytes, FileReader, ModelFile};
pub use weights::{ElementType, Format, MetadataValue, Place, Weight, Weights, WeightsError};

/// The example of the README, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
