//! The nearest integer, ties to even.
//!
//! Exact. Infinities, NaN and the sign of zero stay; numbers from -0.5 to 0 become -0.

use super::{UnaryFormula, compiled};
use crate::simd::{Float, Simd};

/// The nearest integer; of two, the even one.
#[derive(Debug, Clone, Copy)]
pub struct Round;

impl UnaryFormula for Round {
    const NAME: &'static str = "round";

    #[inline(always)]
    fn f32<S: Simd>(self, _simd: S, x: S::F32) -> S::F32 {
        x.round()
    }

    #[inline(always)]
    fn f64(self, x: f64) -> f64 {
        x.round_ties_even()
    }
}

compiled::unary!(Round);
