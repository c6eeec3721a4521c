//! `Kernels`: the seam between operations and the machine.
//!
//! Each family of operations has a trait of its own in a file below; [`Kernels`] is all of them together.

mod convolutions;
mod maps;
mod movement;
mod pooling;
mod products;
mod reductions;
mod resize;
mod sorting;

pub use convolutions::ConvolutionKernels;
pub use maps::MapKernels;
pub use movement::MovementKernels;
pub use pooling::PoolingKernels;
pub use products::MatMulKernels;
pub use reductions::ReductionKernels;
pub use resize::ResizeKernels;
pub use sorting::SortKernels;

use crate::{Backend, Precision, Threads};

/// The only place where operations call kernels.
///
/// Operands are views with any strides: a transposed or reversed one is a view with a
/// [`Geometry`](stratal_tensor_base::Geometry) of that kind (`permute`, `flip`, ...). Whoever calls allocates the result.
/// Operands never share elements with the result: the borrow checker sees to it, and an operation in place has a method of
/// its own. Each method checks dtypes, shapes and attributes before it writes anything.
///
/// Implementations come from a [`Selection`](crate::Selection). They all give the same bits, except where
/// [`Precision::Fast`] allows another order of summation; any NaN counts as any other.
///
/// The methods of the families can be called on a `dyn Kernels` without importing their traits.
pub trait Kernels:
    MapKernels
    + ReductionKernels
    + MovementKernels
    + PoolingKernels
    + ResizeKernels
    + SortKernels
    + MatMulKernels
    + ConvolutionKernels
{
    /// The implementation's name.
    fn backend(&self) -> Backend;

    /// What was asked for where exactness has a price.
    fn precision(&self) -> Precision;

    /// The threads that work.
    fn threads(&self) -> &Threads;
}
