//! Arithmetic on tensor views: one text, every instruction set, the same bits.

mod backend;
mod cast;
mod check;
mod convert;
mod copy;
mod error;
mod integer;
mod kernels;
pub mod map;
mod parallel;
mod reference;
mod select;
mod selection;
pub mod simd;
mod stream;
mod vector;
mod view;

pub use backend::Backend;
pub use error::KernelError;
pub use integer::Integer;
pub use kernels::Kernels;
pub use parallel::Threads;
pub use selection::{BACKEND_VARIABLE, Precision, Selection, process_kernels, set_process_kernels};
pub use view::{AnyView, AnyViewMut};
