//! Inverse hyperbolic tangent.
//!
//! `atanh(±0) = ±0`, `atanh(±1) = ±inf`; NaN outside [-1, 1] and for NaN.
//!
//! # Formula
//! Each lane is computed in f64 by `libm` and rounded: slow and right, for a function that models seldom have.
//!
//! # Error
//! At most 0.501 ulp over all 2^32 inputs.

use super::by_lane;
use super::{UnaryFormula, compiled};
use crate::simd::Simd;

/// `atanh(x)`.
#[derive(Debug, Clone, Copy)]
pub struct Atanh;

impl UnaryFormula for Atanh {
    const NAME: &'static str = "atanh";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
        by_lane::all(simd, x, |x| libm::atanh(x.into()) as f32)
    }

    fn f64(self, x: f64) -> f64 {
        libm::atanh(x)
    }
}

compiled::unary!(Atanh);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::formula_tests::{assert_error_within, assert_same_bits, assert_values};

    #[test]
    fn special_values() {
        assert_values(
            Atanh,
            &[
                (0.0, 0.0),
                (-0.0, -0.0),
                (1.0, f32::INFINITY),
                (-1.0, f32::NEG_INFINITY),
                (1.0_f32.next_up(), f32::NAN),
                (f32::INFINITY, f32::NAN),
                (f32::NAN, f32::NAN),
                (f32::from_bits(1), f32::from_bits(1)),
                (0.5, 0.549_306_15),
                (-1.0_f32.next_down(), -8.664_34),
            ],
        );
    }

    #[test]
    fn sample_is_accurate_and_the_same_everywhere() {
        assert_same_bits(Atanh);
        assert_error_within(Atanh, 0.501, f64::atanh);
    }
}
