//! The greater of two.
//!
//! Exact. NaN in either operand gives NaN; of zeros of two signs the second operand is taken.

use super::{BinaryFormula, compiled};
use crate::Integer;
use crate::simd::{Float, Simd};

/// The greater of `a` and `b`.
#[derive(Debug, Clone, Copy)]
pub struct Max;

impl BinaryFormula for Max {
    const NAME: &'static str = "max";

    const HAS_INTEGERS: bool = true;

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, a: S::F32, b: S::F32) -> S::F32 {
        simd.select(a.is_nan(), a, a.max(b))
    }

    #[inline(always)]
    fn f64(self, a: f64, b: f64) -> f64 {
        if a.is_nan() || a > b { a } else { b }
    }

    #[inline(always)]
    fn integer<T: Integer>(self, a: T, b: T) -> T {
        a.max(b)
    }
}

compiled::binary!(Max);
