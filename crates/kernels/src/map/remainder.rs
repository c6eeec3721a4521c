//! The remainder of division toward zero, which has the sign of the dividend: C's `fmod` and `%`.
//!
//! Exact. Floats: a zero result has the sign of the dividend; an infinite dividend and a zero divisor give NaN, an infinite
//! divisor gives the dividend. Integers: the least number and -1 give 0; division by zero is an error.

use super::{BinaryFormula, Fault, compiled};
use crate::Integer;
use crate::simd::{Float, Int, LANES, Mask, Simd};

/// What division of `a` by `b` toward zero leaves.
#[derive(Debug, Clone, Copy)]
pub struct Remainder;

impl BinaryFormula for Remainder {
    const NAME: &'static str = "remainder";

    const HAS_INTEGERS: bool = true;

    const CAN_FAIL: bool = true;

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, a: S::F32, b: S::F32) -> S::F32 {
        remainder(simd, a, b)
    }

    #[inline(always)]
    fn f64(self, a: f64, b: f64) -> f64 {
        libm::fmod(a, b)
    }

    #[inline(always)]
    fn integer<T: Integer>(self, a: T, b: T) -> T {
        a.rem(b)
    }

    #[inline(always)]
    fn fault<T: Integer>(self, _a: T, b: T) -> Option<Fault> {
        (b == T::ZERO).then_some(Fault::DivisionByZero)
    }
}

compiled::binary!(Remainder);

/// The exact remainder.
///
/// A quotient below 2^22 is truncated, and what it leaves is exact in one fused step: it is a multiple of the operands'
/// last places and less than twice the divisor. The quotient was rounded, so it may be too large by one, and then the
/// divisor is given back. Other lanes need long division, which is done one by one.
#[inline(always)]
pub(super) fn remainder<S: Simd>(simd: S, a: S::F32, b: S::F32) -> S::F32 {
    let (dividend, divisor) = (a.abs(), b.abs());
    let quotient = (dividend / divisor).trunc();
    let left = (-quotient).mul_add(divisor, dividend);
    let exact = simd.select(left.lt(simd.f32(0.0)), left + divisor, left);
    // Among lesser dividends are those of infinite divisors, where zero times infinity has made what is left NaN.
    let exact = simd.select(dividend.lt(divisor), dividend, exact);
    let sign = simd.i32(i32::MIN);
    let result = (exact.bits() | (a.bits() & sign)).as_f32();
    let is_near = quotient.lt(simd.f32(4_194_304.0)) & divisor.gt(simd.f32(f32::MIN_POSITIVE * 16_777_216.0));
    if is_near.all() { result } else { one_by_one(simd, a, b) }
}

#[inline(always)]
fn one_by_one<S: Simd>(simd: S, a: S::F32, b: S::F32) -> S::F32 {
    let (mut dividends, mut divisors) = ([0.0; LANES], [1.0; LANES]);
    a.store(&mut dividends);
    b.store(&mut divisors);
    for (dividend, divisor) in dividends.iter_mut().zip(divisors) {
        *dividend = libm::fmodf(*dividend, divisor);
    }
    simd.load(&dividends)
}
