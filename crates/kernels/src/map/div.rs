//! Division.
//!
//! Floats: correctly rounded, with the special cases of IEEE 754: a number over zero is infinite, zero over zero NaN.
//! Integers: toward zero; the least number over -1 wraps to itself; division by zero is an error.

use super::{BinaryFormula, Fault, compiled};
use crate::Integer;
use crate::simd::Simd;

/// `a / b`.
#[derive(Debug, Clone, Copy)]
pub struct Div;

impl BinaryFormula for Div {
    const NAME: &'static str = "div";

    const HAS_INTEGERS: bool = true;

    const CAN_FAIL: bool = true;

    #[inline(always)]
    fn f32<S: Simd>(self, _simd: S, a: S::F32, b: S::F32) -> S::F32 {
        a / b
    }

    #[inline(always)]
    fn f64(self, a: f64, b: f64) -> f64 {
        a / b
    }

    #[inline(always)]
    fn integer<T: Integer>(self, a: T, b: T) -> T {
        a.div(b)
    }

    #[inline(always)]
    fn fault<T: Integer>(self, _a: T, b: T) -> Option<Fault> {
        (b == T::ZERO).then_some(Fault::DivisionByZero)
    }
}

compiled::binary!(Div);
