//! The square root.
//!
//! Correctly rounded. Zeros keep their sign, numbers below zero and NaN give NaN, infinity stays.

use super::{UnaryFormula, compiled};
use crate::simd::{Float, Simd};

/// The square root of `x`.
#[derive(Debug, Clone, Copy)]
pub struct Sqrt;

impl UnaryFormula for Sqrt {
    const NAME: &'static str = "sqrt";

    #[inline(always)]
    fn f32<S: Simd>(self, _simd: S, x: S::F32) -> S::F32 {
        x.sqrt()
    }

    #[inline(always)]
    fn f64(self, x: f64) -> f64 {
        x.sqrt()
    }
}

compiled::unary!(Sqrt);
