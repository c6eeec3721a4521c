//! Hyperbolic sine.
//!
//! `sinh(±0) = ±0`, `sinh(±inf) = ±inf`, and infinity from a magnitude of 89.416 on; NaN for NaN.
//!
//! # Formula
//! Each lane is computed in f64 by `libm` and rounded: slow and right, for a function that models seldom have.
//!
//! # Error
//! At most 0.501 ulp over all 2^32 inputs.

use super::by_lane;
use super::{UnaryFormula, compiled};
use crate::simd::Simd;

/// `sinh(x)`.
#[derive(Debug, Clone, Copy)]
pub struct Sinh;

impl UnaryFormula for Sinh {
    const NAME: &'static str = "sinh";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
        by_lane::all(simd, x, |x| libm::sinh(x.into()) as f32)
    }

    fn f64(self, x: f64) -> f64 {
        libm::sinh(x)
    }
}

compiled::unary!(Sinh);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::formula_tests::{assert_error_within, assert_same_bits, assert_values};

    #[test]
    fn special_values() {
        assert_values(
            Sinh,
            &[
                (0.0, 0.0),
                (-0.0, -0.0),
                (f32::INFINITY, f32::INFINITY),
                (f32::NEG_INFINITY, f32::NEG_INFINITY),
                (f32::NAN, f32::NAN),
                (f32::from_bits(1), f32::from_bits(1)),
                (1.0, 1.175_201_2),
                (-89.5, f32::NEG_INFINITY),
            ],
        );
    }

    #[test]
    fn sample_is_accurate_and_the_same_everywhere() {
        assert_same_bits(Sinh);
        assert_error_within(Sinh, 0.501, f64::sinh);
    }
}
