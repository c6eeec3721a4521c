//! Sine of an angle in radians.
//!
//! `sin(±0) = ±0`; NaN for infinities and NaN.
//!
//! # Formula
//! `sin x = ±sin r` or `±cos r` with `r = |x| - n * pi/2`, in the file `trigonometry.rs`, for magnitudes up to 131072.
//! For a lane beyond that `far_angle.rs` finds `r` with integers, and the sine of it in f64 is rounded.
//!
//! # Error
//! At most 0.883 ulp over all 2^32 inputs.

use super::by_lane::replace;
use super::far_angle;
use super::trigonometry::{LIMIT, Reduced};
use super::{UnaryFormula, compiled};
use crate::simd::{Float, Mask, Simd};

/// `sin(x)`, x in radians.
#[derive(Debug, Clone, Copy)]
pub struct Sin;

impl UnaryFormula for Sin {
    const NAME: &'static str = "sin";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
        let magnitude = x.abs();
        let sine = Reduced::of(simd, magnitude).sine(simd, 0, x.bits());
        let is_near = magnitude.le(simd.f32(LIMIT));
        if is_near.all() { sine } else { replace(simd, !is_near, x, sine, far_angle::sin) }
    }

    fn f64(self, x: f64) -> f64 {
        libm::sin(x)
    }
}

compiled::unary!(Sin);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::formula_tests::{assert_error_within, assert_same_bits, assert_values};

    #[test]
    fn special_values() {
        assert_values(
            Sin,
            &[
                (0.0, 0.0),
                (-0.0, -0.0),
                (f32::INFINITY, f32::NAN),
                (f32::NEG_INFINITY, f32::NAN),
                (f32::NAN, f32::NAN),
                (f32::from_bits(1), f32::from_bits(1)),
                (-f32::MIN_POSITIVE, -f32::MIN_POSITIVE),
                // The nearest f32 to pi is off by so much.
                (std::f32::consts::PI, -8.742_278e-8),
                (-std::f32::consts::FRAC_PI_2, -1.0),
                (1e6, -0.349_993_5),
                (-f32::MAX, 0.521_876_5),
            ],
        );
    }

    #[test]
    fn sample_is_accurate_and_the_same_everywhere() {
        assert_same_bits(Sin);
        assert_error_within(Sin, 0.883, f64::sin);
    }
}
