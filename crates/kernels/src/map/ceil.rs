//! The next integer at or above.
//!
//! Exact. Infinities, NaN and the sign of zero stay; numbers between -1 and 0 become -0.

use super::{UnaryFormula, compiled};
use crate::simd::{Float, Simd};

/// The next integer at or above `x`.
#[derive(Debug, Clone, Copy)]
pub struct Ceil;

impl UnaryFormula for Ceil {
    const NAME: &'static str = "ceil";

    #[inline(always)]
    fn f32<S: Simd>(self, _simd: S, x: S::F32) -> S::F32 {
        x.ceil()
    }

    #[inline(always)]
    fn f64(self, x: f64) -> f64 {
        x.ceil()
    }
}

compiled::unary!(Ceil);
