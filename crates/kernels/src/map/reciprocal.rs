//! The reciprocal.
//!
//! Correctly rounded. Zeros give infinities and infinities zeros of their sign, NaN stays NaN.

use super::{UnaryFormula, compiled};
use crate::simd::Simd;

/// `1 / x`.
#[derive(Debug, Clone, Copy)]
pub struct Reciprocal;

impl UnaryFormula for Reciprocal {
    const NAME: &'static str = "reciprocal";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
        simd.f32(1.0) / x
    }

    #[inline(always)]
    fn f64(self, x: f64) -> f64 {
        1.0 / x
    }
}

compiled::unary!(Reciprocal);
