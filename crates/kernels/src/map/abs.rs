//! The absolute value: the sign bit cleared.
//!
//! Exact. -0 becomes +0, -inf becomes inf, NaN stays NaN; integers wrap, so that the least one is its own absolute value.

use super::{UnaryFormula, compiled};
use crate::Integer;
use crate::simd::{Float, Simd};

/// `|x|`.
#[derive(Debug, Clone, Copy)]
pub struct Abs;

impl UnaryFormula for Abs {
    const NAME: &'static str = "abs";

    const HAS_INTEGERS: bool = true;

    #[inline(always)]
    fn f32<S: Simd>(self, _simd: S, x: S::F32) -> S::F32 {
        x.abs()
    }

    #[inline(always)]
    fn f64(self, x: f64) -> f64 {
        x.abs()
    }

    #[inline(always)]
    fn integer<T: Integer>(self, x: T) -> T {
        if x < T::ZERO { T::ZERO.sub(x) } else { x }
    }
}

compiled::unary!(Abs);
