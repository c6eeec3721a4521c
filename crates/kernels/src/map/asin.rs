//! Arc sine, in radians.
//!
//! `asin(±0) = ±0`, `asin(±1) = ±pi/2`; NaN outside [-1, 1] and for NaN.
//!
//! # Formula
//! Each lane is computed in f64 by `libm` and rounded: slow and right, for a function that models seldom have.
//!
//! # Error
//! At most 0.501 ulp over all 2^32 inputs.

use super::by_lane;
use super::{UnaryFormula, compiled};
use crate::simd::Simd;

/// `asin(x)`, from -pi/2 to pi/2.
#[derive(Debug, Clone, Copy)]
pub struct Asin;

impl UnaryFormula for Asin {
    const NAME: &'static str = "asin";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
        by_lane::all(simd, x, |x| libm::asin(x.into()) as f32)
    }

    fn f64(self, x: f64) -> f64 {
        libm::asin(x)
    }
}

compiled::unary!(Asin);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::formula_tests::{assert_error_within, assert_same_bits, assert_values};

    #[test]
    fn special_values() {
        assert_values(
            Asin,
            &[
                (0.0, 0.0),
                (-0.0, -0.0),
                (1.0, std::f32::consts::FRAC_PI_2),
                (-1.0, -std::f32::consts::FRAC_PI_2),
                (0.5, std::f32::consts::FRAC_PI_6),
                (1.0_f32.next_up(), f32::NAN),
                (f32::INFINITY, f32::NAN),
                (f32::NAN, f32::NAN),
                (f32::from_bits(1), f32::from_bits(1)),
            ],
        );
    }

    #[test]
    fn sample_is_accurate_and_the_same_everywhere() {
        assert_same_bits(Asin);
        assert_error_within(Asin, 0.501, f64::asin);
    }
}
