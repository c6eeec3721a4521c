//! Inverse hyperbolic cosine.
//!
//! `acosh(1) = +0`, `acosh(+inf) = +inf`; NaN below 1 and for NaN.
//!
//! # Formula
//! Each lane is computed in f64 by `libm` and rounded: slow and right, for a function that models seldom have.
//!
//! # Error
//! At most 0.501 ulp over all 2^32 inputs.

use super::by_lane;
use super::{UnaryFormula, compiled};
use crate::simd::Simd;

/// `acosh(x)`, from 0 upwards.
#[derive(Debug, Clone, Copy)]
pub struct Acosh;

impl UnaryFormula for Acosh {
    const NAME: &'static str = "acosh";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
        by_lane::all(simd, x, |x| acosh(x.into()) as f32)
    }

    fn f64(self, x: f64) -> f64 {
        acosh(x)
    }
}

compiled::unary!(Acosh);

/// For large negative numbers `libm` gives a number, where there is none.
fn acosh(x: f64) -> f64 {
    if x < 1.0 { f64::NAN } else { libm::acosh(x) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::formula_tests::{assert_error_within, assert_same_bits, assert_values};

    #[test]
    fn special_values() {
        assert_values(
            Acosh,
            &[
                (1.0, 0.0),
                (f32::INFINITY, f32::INFINITY),
                (f32::NEG_INFINITY, f32::NAN),
                (1.0_f32.next_down(), f32::NAN),
                (f32::NAN, f32::NAN),
                (1.0_f32.next_up(), 4.882_812_5e-4),
                (2.0, 1.316_958),
                (f32::MAX, 89.415_985),
            ],
        );
    }

    #[test]
    fn f64_has_no_number_below_one() {
        assert!(Acosh.f64(-7160.0).is_nan());
        assert_eq!(Acosh.f64(1.0), 0.0);
    }

    #[test]
    fn sample_is_accurate_and_the_same_everywhere() {
        assert_same_bits(Acosh);
        assert_error_within(Acosh, 0.501, f64::acosh);
    }
}
