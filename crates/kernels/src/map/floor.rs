//! The next integer at or below.
//!
//! Exact. Infinities, NaN and the sign of zero stay.

use super::{UnaryFormula, compiled};
use crate::simd::{Float, Simd};

/// The next integer at or below `x`.
#[derive(Debug, Clone, Copy)]
pub struct Floor;

impl UnaryFormula for Floor {
    const NAME: &'static str = "floor";

    #[inline(always)]
    fn f32<S: Simd>(self, _simd: S, x: S::F32) -> S::F32 {
        x.floor()
    }

    #[inline(always)]
    fn f64(self, x: f64) -> f64 {
        x.floor()
    }
}

compiled::unary!(Floor);
