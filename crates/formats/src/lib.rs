//! Model and array files in and out.
//!
//! | to know about | read |
//! |---|---|
//! | files: read on demand, mapped, or in memory | [`ModelFile`] |
//! | what a file may ask for | [`Limits`] |
//! | tensors of any file, by name, lazily | [`Weights`] |
//! | single formats | [`safetensors`], [`npy`], [`gguf`], [`onnx`] |
//! | what went wrong | [`Error`] |

mod error;
pub mod gguf;
mod limits;
mod model_file;
pub mod npy;
pub mod onnx;
pub mod safetensors;
mod weights;

pub use error::{Error, FileError, Name};
pub use limits::Limits;
pub use model_file::{FileBytes, FileReader, ModelFile};
