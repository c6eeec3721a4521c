//! The rectifier.
//!
//! Exact. NaN stays NaN, -0 stays -0.

use super::{UnaryFormula, compiled};
use crate::Integer;
use crate::simd::{Float, Simd};

/// 0 for numbers below it, else `x`.
#[derive(Debug, Clone, Copy)]
pub struct Relu;

impl UnaryFormula for Relu {
    const NAME: &'static str = "relu";

    const HAS_INTEGERS: bool = true;

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
        // In this order the maximum gives `x` for NaN.
        simd.f32(0.0).max(x)
    }

    #[inline(always)]
    fn f64(self, x: f64) -> f64 {
        if 0.0 > x { 0.0 } else { x }
    }

    #[inline(always)]
    fn integer<T: Integer>(self, x: T) -> T {
        x.max(T::ZERO)
    }
}

compiled::unary!(Relu);
