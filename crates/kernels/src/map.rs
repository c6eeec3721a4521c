//! Maps: operations that compute each element of the result from the elements at the same index.
//!
//! One operation, one file: what it means at NaN, infinities and zeros of both signs, its formula over the vector
//! vocabulary, the source of its constants and its error bound. The drivers that walk strides, dtypes and threads are
//! shared by all of them.

mod acos;
mod acosh;
mod asin;
mod asinh;
mod atan;
mod atanh;
mod by_lane;
#[cfg(test)]
mod check;
mod cos;
mod cosh;
mod far_angle;
mod log;
mod logarithm;
mod polynomial;
mod pow;
mod sin;
mod sinh;
mod tan;
mod trigonometry;

pub use acos::Acos;
pub use acosh::Acosh;
pub use asin::Asin;
pub use asinh::Asinh;
pub use atan::Atan;
pub use atanh::Atanh;
pub use cos::Cos;
pub use cosh::Cosh;
pub use log::Log;
pub use pow::Pow;
pub use sin::Sin;
pub use sinh::Sinh;
pub use tan::Tan;

use std::fmt::Debug;

use crate::simd::Simd;

/// An operation on one float, written once for every instruction set.
///
/// The value of the type holds the operation's attributes, such as the slope of a leaky ReLU.
pub trait UnaryFormula: Copy + Debug + Send + Sync + 'static {
    /// The operation's name, as in ONNX but in snake case.
    const NAME: &'static str;

    /// The formula on sixteen f32. Mark it `#[inline(always)]`.
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32;

    /// The operation on an f64.
    fn f64(self, x: f64) -> f64;
}

/// An operation on two floats, written once for every instruction set.
pub trait BinaryFormula: Copy + Debug + Send + Sync + 'static {
    /// The operation's name, as in ONNX but in snake case.
    const NAME: &'static str;

    /// The formula on sixteen f32. Mark it `#[inline(always)]`.
    fn f32<S: Simd>(self, simd: S, a: S::F32, b: S::F32) -> S::F32;

    /// The operation on f64.
    fn f64(self, a: f64, b: f64) -> f64;
}
