//! A swish of straight lines.
//!
//! `x / 6 + 0.5` is rounded once, cut at 0 and 1, and multiplied by `x`. So zeros keep their sign, negative numbers at or
//! below -3 give -0, -inf gives NaN (zero times infinity), NaN stays NaN. Error below 2 ulp of the line's value, which near
//! -3 is cancelled: there the error is relative to `x / 6`.

use super::{UnaryFormula, compiled};
use crate::simd::{Float, Simd};

/// `x * hard_sigmoid(x)` with a slope of 1/6.
#[derive(Debug, Clone, Copy)]
pub struct HardSwish;

impl UnaryFormula for HardSwish {
    const NAME: &'static str = "hard_swish";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
        let line = x.mul_add(simd.f32(1.0 / 6.0), simd.f32(0.5));
        // In this order NaN passes both.
        x * simd.f32(1.0).min(simd.f32(0.0).max(line))
    }

    #[inline(always)]
    fn f64(self, x: f64) -> f64 {
        // The f64 nearest to 1/6 is below it: the line of -3 would come out above 0.
        if x <= -3.0 {
            x * 0.0
        } else if x >= 3.0 {
            x
        } else {
            x * x.mul_add(1.0 / 6.0, 0.5)
        }
    }
}

compiled::unary!(HardSwish);
