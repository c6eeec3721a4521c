//! Arc tangent, in radians.
//!
//! `atan(±0) = ±0`, `atan(±inf) = ±pi/2`; NaN for NaN.
//!
//! # Formula
//! `atan x = ±(base + atan t)` with `base = 0` and `t = |x|` below 1, and `base = pi/2` and `t = -1/|x|` from there on. The
//! roundings of the quotient, of the cube of `t` and of the sum with `base` are found again and added to the small terms,
//! as is what the nearest f32 lacks of half pi. With `z = t^2`, `atan t = t + t^3 * A(z)`.
//!
//! `A` has degree 8 and is the minimax fit of `(atan t - t) / t^3` on [0, 1] for z, weighted by `t^3 / atan t` (the
//! relative error of the result is 2^-28.5), its coefficients rounded to f32 one after another, the rest fitted again
//! each time.
//!
//! # Error
//! At most 0.969 ulp over all 2^32 inputs.

use super::polynomial::horner;
use super::{UnaryFormula, compiled};
use crate::simd::{Float, Int, Simd};

/// `atan(x)`, from -pi/2 to pi/2.
#[derive(Debug, Clone, Copy)]
pub struct Atan;

impl UnaryFormula for Atan {
    const NAME: &'static str = "atan";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
        let (zero, one) = (simd.f32(0.0), simd.f32(1.0));
        let magnitude = x.abs();
        let is_steep = magnitude.ge(one);
        let numerator = simd.select(is_steep, -one, magnitude);
        let denominator = simd.select(is_steep, magnitude, one);
        let base = simd.select(is_steep, simd.f32(std::f32::consts::FRAC_PI_2), zero);
        let base_low = simd.select(is_steep, simd.f32(HALF_PI_LOW), zero);

        let t = numerator / denominator;
        // What the quotient lacks: the remainder over the denominator, whose reciprocal is -t. With a denominator of 1,
        // the remainder is zero; infinity has none.
        let denominator = denominator.min(simd.f32(f32::MAX));
        let remainder = t.mul_add(denominator, -numerator);
        let z = t * t;
        // The slope of the arc tangent is 1 / (1 + z), nearly.
        let slope = z.mul_add(simd.f32(-0.5), one);
        let low = (remainder * t).mul_add(slope, base_low);
        let high = base + t;
        let lost = t - (high - base);
        let cube = t * z;
        let cube_low = t.mul_add(z, -cube);
        let a = horner(simd, z, A);
        let bend = cube.mul_add(a, cube_low.mul_add(a, low + lost));
        let angle = high + bend;
        let sign = x.bits() & simd.i32(i32::MIN);
        (angle.bits() | sign).as_f32()
    }

    fn f64(self, x: f64) -> f64 {
        libm::atan(x)
    }
}

compiled::unary!(Atan);

/// Half pi less the nearest f32.
const HALF_PI_LOW: f32 = -4.371139e-8;

/// `(atan t - t) / t^3` over the square of `t`, from the constant upwards.
const A: [f32; 9] =
    [-0.333333, 0.1999853, -0.14264016, 0.109508805, -0.08399306, 0.057881393, -0.031097002, 0.01086871, -0.001782832];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::formula_tests::{assert_error_within, assert_same_bits, assert_values};

    #[test]
    fn special_values() {
        assert_values(
            Atan,
            &[
                (0.0, 0.0),
                (-0.0, -0.0),
                (f32::INFINITY, std::f32::consts::FRAC_PI_2),
                (f32::NEG_INFINITY, -std::f32::consts::FRAC_PI_2),
                (f32::NAN, f32::NAN),
                (f32::from_bits(1), f32::from_bits(1)),
                (-f32::MIN_POSITIVE, -f32::MIN_POSITIVE),
                (1.0, std::f32::consts::FRAC_PI_4),
                (-1.0, -std::f32::consts::FRAC_PI_4),
                (-f32::MAX, -std::f32::consts::FRAC_PI_2),
            ],
        );
    }

    #[test]
    fn sample_is_accurate_and_the_same_everywhere() {
        assert_same_bits(Atan);
        assert_error_within(Atan, 0.969, f64::atan);
    }
}
