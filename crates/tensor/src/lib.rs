//! Bytes seen through a geometry: n-dimensional arrays whose sharing is sound.
//!
//! A [`Tensor`] is a buffer, a dtype and a geometry. Cloning one or making a view of it copies no element; all of them
//! share the buffer, see each other's writes, and count them in one version. Elements are reached through guards, many
//! readers or one writer at a time, so safe code can neither race nor hold a slice of memory that is gone: a conflict or
//! a stale handle is an error value. Nothing is copied, converted or broadcast unless a method's name says so.
//!
//! ```
//! use stratal_tensor::{Tensor, base::DType};
//!
//! let matrix = Tensor::arange(0, 6, 1, DType::F32)?.reshape(&[2, 3])?;
//! let first_column = matrix.select(1, 0)?;
//! first_column.fill(10)?;
//! assert_eq!(matrix.to_string(), "float32 [2, 3]\n[[10.0,  1.0,  2.0],\n [10.0,  4.0,  5.0]]");
//!
//! let reading = matrix.data::<f32>()?;
//! assert!(first_column.fill(0).is_err()); // being read
//! drop(reading);
//! matrix.release()?;
//! assert!(first_column.is_stale());
//! # Ok::<(), stratal_tensor::TensorError>(())
//! ```
//!
//! # Coming from NumPy or PyTorch
//!
//! | NumPy | PyTorch | here |
//! |---|---|---|
//! | `np.zeros((2, 3), np.float32)` | `torch.zeros(2, 3)` | `Tensor::zeros(&[2, 3], DType::F32)?` |
//! | `np.arange(0, 10, 2)` | `torch.arange(0, 10, 2)` | `Tensor::arange(0, 10, 2, DType::I64)?` |
//! | `np.array([1., 2.])` | `torch.tensor([1., 2.])` | `Tensor::from_slice(&[1.0, 2.0], &[2])?` |
//! | `a.shape`, `a.strides` | `a.shape`, `a.stride()` | `a.shape()`, `a.strides()` (in elements) |
//! | `a[1:5:2]` | `a[1:5:2]` | `a.slice(0, Some(1), Some(5), 2)?` |
//! | `a[::-1]` | `a.flip(0)` (copies) | `a.flip(&[0])?` (a view) |
//! | `a[:, 3]` | `a[:, 3]` | `a.select(1, 3)?` |
//! | | `a.narrow(0, 2, 4)` | `a.narrow(0, 2, 4)?` |
//! | `a.T` | `a.t()` | `a.t()?` (the last two axes) |
//! | `np.transpose(a, (2, 0, 1))` | `a.permute(2, 0, 1)` | `a.permute(&[2, 0, 1])?` |
//! | `a.reshape(2, -1)` | `a.reshape(2, -1)` | `a.reshape(&[2, -1])?`, or `try_reshape`, which never copies |
//! | `np.broadcast_to(a, s)` | `a.expand(s)` | `a.expand(s)?` |
//! | `sliding_window_view` | `a.unfold(0, 3, 1)` | `a.unfold(0, 3, 1)?` |
//! | `np.ascontiguousarray(a)` | `a.contiguous()` | `a.contiguous()?` |
//! | `a.astype(np.int8)` | `a.to(torch.int8)` | `a.cast(DType::I8)?`, or `try_cast`, which refuses losses |
//! | `a[...] = b` | `a.copy_(b)` | `a.copy_from(&b)?` |
//! | `a.fill(1)` | `a.fill_(1)` | `a.fill(1)?` |
//! | `a[1, 2]` | `a[1, 2].item()` | `a.item::<f32>(&[1, 2])?` |
//! | `np.allclose(a, b)` | `torch.allclose(a, b)` | `a.all_close(&b, Tolerance::of(DType::F32))?` |
//! | `a.view(np.uint32)` | `a.view(torch.uint32)` | `a.reinterpret(DType::U32)?` |
//! | `a.base is b` | `a.data_ptr() == ...` | `a.shares_buffer(&b)` |
//!
//! # What kernels take
//!
//! [`Tensor::view`] and [`access`](fn@access) give [`View`] and [`ViewMut`]: a slice and a geometry that stays inside
//! it. [`Walk`](stratal_tensor_base::Walk) turns the geometries of several operands into runs.
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

/// The example of the README, as a test.
#[cfg(doctest)]
mod readme {
    #[doc = include_str!("../README.md")]
    struct Crate;
}
