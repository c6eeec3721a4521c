//! The sign: -1, 0 or 1.
//!
//! Exact. Zeros keep their sign, NaN stays NaN.

use std::cmp::Ordering;

use super::{UnaryFormula, compiled};
use crate::Integer;
use crate::simd::{Float, Simd};

/// -1 for negative numbers, 1 for positive ones, else `x`.
#[derive(Debug, Clone, Copy)]
pub struct Sign;

impl UnaryFormula for Sign {
    const NAME: &'static str = "sign";

    const HAS_INTEGERS: bool = true;

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
        let one = simd.f32(1.0);
        let zero = simd.f32(0.0);
        simd.select(x.gt(zero), one, simd.select(x.lt(zero), -one, x))
    }

    #[inline(always)]
    fn f64(self, x: f64) -> f64 {
        if x > 0.0 {
            1.0
        } else if x < 0.0 {
            -1.0
        } else {
            x
        }
    }

    #[inline(always)]
    fn integer<T: Integer>(self, x: T) -> T {
        match x.cmp(&T::ZERO) {
            Ordering::Greater => T::ONE,
            Ordering::Equal => T::ZERO,
            Ordering::Less => T::ZERO.sub(T::ONE),
        }
    }
}

compiled::unary!(Sign);
