//! Multiplication.
//!
//! Correctly rounded, with the special cases of IEEE 754: zero times infinity is NaN; integers wrap.

use super::{BinaryFormula, compiled};
use crate::Integer;
use crate::simd::Simd;

/// `a * b`.
#[derive(Debug, Clone, Copy)]
pub struct Mul;

impl BinaryFormula for Mul {
    const NAME: &'static str = "mul";

    const HAS_INTEGERS: bool = true;

    #[inline(always)]
    fn f32<S: Simd>(self, _simd: S, a: S::F32, b: S::F32) -> S::F32 {
        a * b
    }

    #[inline(always)]
    fn f64(self, a: f64, b: f64) -> f64 {
        a * b
    }

    #[inline(always)]
    fn integer<T: Integer>(self, a: T, b: T) -> T {
        a.mul(b)
    }
}

compiled::binary!(Mul);
