//! The remainder of division toward minus infinity, which has the sign of the divisor: Python's `%`.
//!
//! Floats: the remainder toward zero, to which the divisor is added, rounding once, where the signs differ; a zero result has
//! the sign of the divisor; an infinite dividend and a zero divisor give NaN. Integers: exact; the least number and -1 give 0;
//! division by zero is an error.

use super::remainder::remainder;
use super::{BinaryFormula, Fault, compiled};
use crate::Integer;
use crate::simd::{Float, Int, Simd};

/// What division of `a` by `b` toward minus infinity leaves.
#[derive(Debug, Clone, Copy)]
pub struct Modulo;

impl BinaryFormula for Modulo {
    const NAME: &'static str = "mod";

    const HAS_INTEGERS: bool = true;

    const CAN_FAIL: bool = true;

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, a: S::F32, b: S::F32) -> S::F32 {
        let left = remainder(simd, a, b);
        let zero = simd.f32(0.0);
        let signs_differ = left.lt(zero) ^ b.lt(zero);
        let shifted = simd.select(signs_differ, left + b, left);
        let sign_of_divisor = (b.bits() & simd.i32(i32::MIN)).as_f32();
        simd.select(left.eq(zero), sign_of_divisor, shifted)
    }

    #[inline(always)]
    fn f64(self, a: f64, b: f64) -> f64 {
        let left = libm::fmod(a, b);
        if left == 0.0 {
            0_f64.copysign(b)
        } else if (left < 0.0) != (b < 0.0) {
            left + b
        } else {
            left
        }
    }

    #[inline(always)]
    fn integer<T: Integer>(self, a: T, b: T) -> T {
        let left = a.rem(b);
        if left != T::ZERO && (left < T::ZERO) != (b < T::ZERO) { left.add(b) } else { left }
    }

    #[inline(always)]
    fn fault<T: Integer>(self, _a: T, b: T) -> Option<Fault> {
        (b == T::ZERO).then_some(Fault::DivisionByZero)
    }
}

compiled::binary!(Modulo);
