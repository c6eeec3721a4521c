//! e^x.
//!
//! NaN gives NaN, +inf gives +inf, -inf gives +0, zeros of both signs give 1. Results overflow to +inf above 88.722839 and
//! reach +0 below -103.97208; subnormal results between are rounded once, like all others.

use super::exponential::{exp, split};
use super::{UnaryFormula, compiled};
use crate::simd::{Float, Simd};

/// e^x.
///
/// f32: x is clamped to [-104, 89], where the result has already underflowed or overflowed, then e^x = 2^n·e^r with a
/// polynomial of degree 6, which the module `exponential` describes. At most 0.9 ulp over all inputs.
#[derive(Debug, Clone, Copy)]
pub struct Exp;

impl UnaryFormula for Exp {
    const NAME: &'static str = "exp";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
        // In this order of operands a NaN stays.
        exp_below_89(simd, simd.f32(89.0).min(x))
    }

    fn f64(self, x: f64) -> f64 {
        libm::exp(x)
    }
}

compiled::unary!(Exp);

/// [`Exp`] of numbers that are known not to be above 89.
#[inline(always)]
pub(crate) fn exp_below_89<S: Simd>(simd: S, x: S::F32) -> S::F32 {
    let parts = split(simd, simd.f32(-104.0).max(x));
    exp(simd, parts.r).scale(parts.n)
}

#[cfg(test)]
mod tests {
    use super::Exp;
    use crate::map::UnaryFormula;
    use crate::map::formula_tests::{assert_error_within, assert_same_bits, assert_values};

    #[test]
    fn special_values() {
        let smallest = f32::from_bits(1);
        assert_values(
            Exp,
            &[
                (f32::NAN, f32::NAN),
                (f32::INFINITY, f32::INFINITY),
                (f32::NEG_INFINITY, 0.0),
                (f32::MAX, f32::INFINITY),
                (f32::MIN, 0.0),
                (0.0, 1.0),
                (-0.0, 1.0),
                (smallest, 1.0),
                (88.722_84, f32::INFINITY),
                (-103.972_07, smallest),
                (-103.972_1, 0.0),
                (1.0, std::f32::consts::E),
            ],
        );
        assert!(Exp.f64(-745.0) > 0.0);
    }

    #[test]
    fn the_same_bits_everywhere() {
        assert_same_bits(Exp);
    }

    #[test]
    fn the_error_is_below_an_ulp() {
        assert_error_within(Exp, 0.9, libm::exp);
    }
}
