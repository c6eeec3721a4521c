//! Arc cosine, in radians.
//!
//! `acos(1) = +0`, `acos(-1) = pi`; NaN outside [-1, 1] and for NaN.
//!
//! # Formula
//! Each lane is computed in f64 by `libm` and rounded: slow and right, for a function that models seldom have.
//!
//! # Error
//! At most 0.501 ulp over all 2^32 inputs.

use super::by_lane;
use super::{UnaryFormula, compiled};
use crate::simd::Simd;

/// `acos(x)`, from 0 to pi.
#[derive(Debug, Clone, Copy)]
pub struct Acos;

impl UnaryFormula for Acos {
    const NAME: &'static str = "acos";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
        by_lane::all(simd, x, |x| libm::acos(x.into()) as f32)
    }

    fn f64(self, x: f64) -> f64 {
        libm::acos(x)
    }
}

compiled::unary!(Acos);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::formula_tests::{assert_error_within, assert_same_bits, assert_values};

    #[test]
    fn special_values() {
        assert_values(
            Acos,
            &[
                (1.0, 0.0),
                (-1.0, std::f32::consts::PI),
                (0.0, std::f32::consts::FRAC_PI_2),
                (-0.0, std::f32::consts::FRAC_PI_2),
                (0.5, std::f32::consts::FRAC_PI_3),
                (1.0_f32.next_up(), f32::NAN),
                (f32::NEG_INFINITY, f32::NAN),
                (f32::NAN, f32::NAN),
                (1.0_f32.next_down(), 3.452_669_8e-4),
            ],
        );
    }

    #[test]
    fn sample_is_accurate_and_the_same_everywhere() {
        assert_same_bits(Acos);
        assert_error_within(Acos, 0.501, f64::acos);
    }
}
