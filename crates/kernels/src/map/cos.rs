//! Cosine of an angle in radians.
//!
//! `cos(±0) = 1`; NaN for infinities and NaN.
//!
//! # Formula
//! `cos x = sin(|x| + pi/2)`, one quadrant further on than the sine; see `trigonometry.rs`, for magnitudes up to 131072.
//! For a lane beyond that `far_angle.rs` finds `r` with integers, and the cosine of it in f64 is rounded.
//!
//! # Error
//! At most 0.881 ulp over all 2^32 inputs.

use super::by_lane::replace;
use super::far_angle;
use super::trigonometry::{LIMIT, Reduced};
use super::{UnaryFormula, compiled};
use crate::simd::{Float, Mask, Simd};

/// `cos(x)`, x in radians.
#[derive(Debug, Clone, Copy)]
pub struct Cos;

impl UnaryFormula for Cos {
    const NAME: &'static str = "cos";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
        let magnitude = x.abs();
        let cosine = Reduced::of(simd, magnitude).sine(simd, 1, simd.i32(0));
        let is_near = magnitude.le(simd.f32(LIMIT));
        if is_near.all() { cosine } else { replace(simd, !is_near, x, cosine, far_angle::cos) }
    }

    fn f64(self, x: f64) -> f64 {
        libm::cos(x)
    }
}

compiled::unary!(Cos);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::formula_tests::{assert_error_within, assert_same_bits, assert_values};

    #[test]
    fn special_values() {
        assert_values(
            Cos,
            &[
                (0.0, 1.0),
                (-0.0, 1.0),
                (f32::INFINITY, f32::NAN),
                (f32::NEG_INFINITY, f32::NAN),
                (f32::NAN, f32::NAN),
                (f32::from_bits(1), 1.0),
                (std::f32::consts::PI, -1.0),
                // The nearest f32 to half pi is off by so much.
                (-std::f32::consts::FRAC_PI_2, -4.371_139e-8),
                (1e6, 0.936_752_14),
                (-f32::MAX, 0.853_021),
            ],
        );
    }

    #[test]
    fn sample_is_accurate_and_the_same_everywhere() {
        assert_same_bits(Cos);
        assert_error_within(Cos, 0.881, f64::cos);
    }
}
