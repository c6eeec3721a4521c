//! Arithmetic on tensor views: one text, every instruction set, the same bits.
//!
//! # How it fits together
//! ```text
//!   Selection ──> Arc<dyn Kernels> ── the seam: views of any dtype and strides, the result given by the caller
//!                     │
//!          ┌──────────┴───────────┐
//!      Reference               Vector ── one instruction set, precision, threads
//!   element by element,           │
//!   by index: the meaning      map::driver ── strides into blocks, problems onto threads; knows no types
//!          │                      │
//!          │                   map::{unary, binary, comparison, predicate} ── dtypes: 16-bit floats through f32, integers
//!          │                      │
//!          └── map::exp::Exp … ───┘── the formula, once, over the vocabulary
//!          │                      │
//!          │                   rows ── any axes and strides as rows; reduce::order: the one order in which they are combined
//!          │                      │
//!          └── reduce::sum::Sum … ┘── reductions; softmax, normalize and scan through stage, row by row
//!                     │
//!                   simd ── sixteen lanes on every machine: Portable, Avx2, Avx512, Neon
//! ```
//!
//! # Where to look
//! | for | see |
//! |---|---|
//! | choosing a backend, precision and threads | [`Selection`], [`process_kernels`], [`Backend`], [`Threads`] |
//! | calling | [`Kernels`], with [`AnyView`] and [`AnyViewMut`] from views of a tensor |
//! | the operations element by element, and adding one | [`map`] |
//! | operations on rows: reductions, softmax, normalisations, scans | [`ReductionKernels`], [`reduce`] |
//! | moving elements: concatenations, gathers, pads, and the shapes of their results | [`MovementKernels`], [`movement`] |
//! | products of matrices, packed ones, epilogues | [`MatMulKernels`], [`PackedMatrix`], [`Epilogue`] |
//! | convolutions, transposed ones, gradients | [`ConvolutionKernels`], [`convolution`] |
//! | windows of images, resizing, sorting | [`PoolingKernels`], [`ResizeKernels`], [`SortKernels`] |
//! | the vectors that formulas are written over | [`simd`] |
//!
//! # Which bits are promised
//! Every backend gives the same bits on any number of threads, except that [`Precision::Fast`], the default, gives products and
//! convolutions other last bits than the reference, which is always exact; and that any NaN counts as any other where
//! arithmetic yields one; where values are only moved, converted or chosen, NaN keep their bits. The floating-point environment is the
//! default one: who switches subnormal numbers off or rounds another way gets other results.
//!
//! # A formula of one's own
//! ```
//! use stratal_kernels::map::{Formula, UnaryFormula};
//! use stratal_kernels::simd::{Float, Simd};
//! use stratal_kernels::Selection;
//! use stratal_tensor::{View, ViewMut};
//! use stratal_tensor_base::{Geometry, Shape};
//!
//! /// `x / (1 + |x|)`.
//! #[derive(Debug, Clone, Copy)]
//! struct Softsign;
//!
//! impl UnaryFormula for Softsign {
//!     const NAME: &'static str = "softsign";
//!
//!     #[inline(always)]
//!     fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
//!         x / (simd.f32(1.0) + x.abs())
//!     }
//!
//!     fn f64(self, x: f64) -> f64 {
//!         x / (1.0 + x.abs())
//!     }
//! }
//!
//! // Every second element, reversed.
//! let x = [1.0_f32, 9.0, -3.0, 9.0, 0.0];
//! let strided = Geometry::strided(Shape::new(&[3])?, &[-2], 4, 5)?;
//! let mut result = [0.0_f32; 3];
//! let contiguous = Geometry::contiguous(Shape::new(&[3])?);
//! let kernels = Selection::new().kernels()?;
//! kernels.unary(&Formula(Softsign), &View::new(&x, strided)?.into(), &mut ViewMut::new(&mut result, contiguous)?.into())?;
//! assert_eq!(result, [0.0, -0.75, 0.5]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod backend;
mod cast;
mod check;
mod convert;
pub mod convolution;
mod copy;
mod error;
mod integer;
mod kernels;
pub mod map;
mod matmul;
pub mod movement;
mod normalize;
mod ordered;
mod parallel;
pub mod pool;
pub mod reduce;
mod reference;
pub mod resize;
mod rows;
mod scan;
mod select;
mod selection;
pub mod simd;
mod softmax;
pub mod sort;
mod stage;
mod stream;
mod vector;
mod view;

pub use backend::Backend;
pub use error::KernelError;
pub use integer::Integer;
pub use kernels::{
    ConvolutionKernels, Kernels, MapKernels, MatMulKernels, MovementKernels, PoolingKernels, ReductionKernels,
    ResizeKernels, SortKernels,
};
pub use matmul::{Epilogue, PackedMatrix, ZeroPoints};
pub use normalize::{BatchNorm, Centre, Normalization, Saved};
pub use parallel::Threads;
pub use scan::{Accumulation, Scan};
pub use selection::{BACKEND_VARIABLE, Precision, Selection, process_kernels, set_process_kernels};
pub use softmax::Softmax;
pub use view::{AnyView, AnyViewMut};

/// The example of the README, as a test.
#[cfg(doctest)]
mod readme {
    #[doc = include_str!("../README.md")]
    struct Crate;
}
