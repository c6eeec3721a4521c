//! Tangent of an angle in radians.
//!
//! `tan(±0) = ±0`; NaN for infinities and NaN. No f32 is an odd multiple of half pi, so no result is infinite.
//!
//! # Formula
//! With `r = |x| - n * pi/2` as in `trigonometry.rs`, for magnitudes up to 131072, and `z` its square, `t = tan r` is
//! `r + r * z * T(z)` as a sum of two f32. For even `n` that is the result, for odd `n` it is `-1/t`: a division of the
//! greater part, and one step of Newton's rule for the rest. For a lane beyond the limit `far_angle.rs` finds `r` with
//! integers, and the tangent of it in f64 is rounded.
//!
//! `T` has degree 6 and is the minimax fit of `(tan r - r) / r^3`, weighted by `r^3 / tan r`, for z up to 0.627; the
//! relative error of the tangent is 2^-29.3.
//!
//! # Error
//! At most 0.964 ulp over all 2^32 inputs.

use super::by_lane::replace;
use super::far_angle;
use super::polynomial::horner;
use super::trigonometry::{LIMIT, Reduced};
use super::{UnaryFormula, compiled};
use crate::simd::{Float, Int, Mask, Simd};

/// `tan(x)`, x in radians.
#[derive(Debug, Clone, Copy)]
pub struct Tan;

impl UnaryFormula for Tan {
    const NAME: &'static str = "tan";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
        let magnitude = x.abs();
        let tangent = tangent(simd, Reduced::of(simd, magnitude));
        let sign = x.bits() & simd.i32(i32::MIN);
        let tangent = (tangent.bits() ^ sign).as_f32();
        let is_near = magnitude.le(simd.f32(LIMIT));
        if is_near.all() { tangent } else { replace(simd, !is_near, x, tangent, far_angle::tan) }
    }

    fn f64(self, x: f64) -> f64 {
        libm::tan(x)
    }
}

compiled::unary!(Tan);

#[inline(always)]
fn tangent<S: Simd>(simd: S, reduced: Reduced<S>) -> S::F32 {
    let one = simd.f32(1.0);
    // Near a multiple of half pi the rest is not small beside `r`: it is brought below half of its last place.
    let r = reduced.r + reduced.low;
    let low = reduced.low - (r - reduced.r);
    let z = r * r;
    let z_low = (r + r).mul_add(low, r.mul_add(r, -z));
    let t = horner(simd, z, T);
    let bend = z * t;
    let bend_low = z_low.mul_add(t, z.mul_add(t, -bend));
    let high = r.mul_add(bend, r);
    // What the sum lost, what the factor lacked, and `low` times the slope of the tangent.
    let lost = r.mul_add(bend_low, r.mul_add(bend, r - high));
    let low = low.mul_add(high.mul_add(high, one), lost);
    let inverse = -one / high;
    // 1 + (high + low) * inverse, which is nearly zero.
    let rest = low.mul_add(inverse, high.mul_add(inverse, one));
    simd.select(reduced.is_odd(simd), rest.mul_add(inverse, inverse), high + low)
}

/// `(tan r - r) / r^3` over the square of `r`, from the constant upwards.
const T: [f32; 7] = [0.33333352, 0.13332577, 0.0540699, 0.021229576, 0.010974901, -9.011927e-05, 0.0044664755];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::formula_tests::{assert_error_within, assert_same_bits, assert_values};

    #[test]
    fn special_values() {
        assert_values(
            Tan,
            &[
                (0.0, 0.0),
                (-0.0, -0.0),
                (f32::INFINITY, f32::NAN),
                (f32::NEG_INFINITY, f32::NAN),
                (f32::NAN, f32::NAN),
                (f32::from_bits(1), f32::from_bits(1)),
                (-f32::MIN_POSITIVE, -f32::MIN_POSITIVE),
                (std::f32::consts::PI, 8.742_278e-8),
                // The nearest f32 to half pi is above it.
                (std::f32::consts::FRAC_PI_2, -2.287_733_2e7),
                // Among the nearest to a multiple of half pi.
                (52_516.434, -61_647_228.0),
                (1e6, -0.373_624_45),
                (-f32::MAX, 0.611_797_9),
            ],
        );
    }

    #[test]
    fn sample_is_accurate_and_the_same_everywhere() {
        assert_same_bits(Tan);
        assert_error_within(Tan, 0.964, f64::tan);
    }
}
