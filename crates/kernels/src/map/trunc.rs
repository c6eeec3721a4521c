//! The next integer toward zero.
//!
//! Exact. Infinities, NaN and the sign of zero stay; numbers between -1 and 0 become -0.

use super::{UnaryFormula, compiled};
use crate::simd::{Float, Simd};

/// The next integer toward zero.
#[derive(Debug, Clone, Copy)]
pub struct Trunc;

impl UnaryFormula for Trunc {
    const NAME: &'static str = "trunc";

    #[inline(always)]
    fn f32<S: Simd>(self, _simd: S, x: S::F32) -> S::F32 {
        x.trunc()
    }

    #[inline(always)]
    fn f64(self, x: f64) -> f64 {
        x.trunc()
    }
}

compiled::unary!(Trunc);
