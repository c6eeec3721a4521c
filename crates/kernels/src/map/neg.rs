//! Negation: the sign bit inverted.
//!
//! Exact. Zeros and NaN change their sign bit like all others; integers wrap, so that the least one is its own negative.

use super::{UnaryFormula, compiled};
use crate::Integer;
use crate::simd::Simd;

/// `-x`.
#[derive(Debug, Clone, Copy)]
pub struct Neg;

impl UnaryFormula for Neg {
    const NAME: &'static str = "neg";

    const HAS_INTEGERS: bool = true;

    #[inline(always)]
    fn f32<S: Simd>(self, _simd: S, x: S::F32) -> S::F32 {
        -x
    }

    #[inline(always)]
    fn f64(self, x: f64) -> f64 {
        -x
    }

    #[inline(always)]
    fn integer<T: Integer>(self, x: T) -> T {
        T::ZERO.sub(x)
    }
}

compiled::unary!(Neg);
