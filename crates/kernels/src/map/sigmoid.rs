//! The logistic function 1/(1 + e^-x).
//!
//! NaN gives NaN, +inf gives 1, -inf gives +0, zeros of both signs give 1/2. Below -103.97208 the result reaches +0, after
//! subnormal results that are rounded once, like all others; no result leaves [0, 1].

use super::exponential::split;
use super::logistic::{TAIL, small, tail};
use super::{UnaryFormula, compiled};
use crate::simd::{Float, Mask, Simd};

/// 1/(1 + e^-x).
///
/// f32: 1/(1 + e^|x|) with a correction for the rounding of the denominator, as the module `logistic` describes; for x > 0
/// the result is 1 minus that. Vectors with some |x| above 16.25 take a longer way. At most 0.97 ulp over all inputs.
#[derive(Debug, Clone, Copy)]
pub struct Sigmoid;

impl UnaryFormula for Sigmoid {
    const NAME: &'static str = "sigmoid";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
        let a = x.abs();
        let mut result = small::<_, false>(simd, split(simd, a)).value();
        let far = a.gt(simd.f32(TAIL));
        if far.any() {
            let [high, low, n] = tail(simd, split(simd, simd.f32(-104.0).max(-a)));
            result = simd.select(far, (high + low).scale(n), result);
        }
        simd.select(x.lt(simd.f32(0.0)), result, simd.f32(1.0) - result)
    }

    fn f64(self, x: f64) -> f64 {
        let small = libm::exp(-x.abs());
        if x < 0.0 { small / (1.0 + small) } else { 1.0 / (1.0 + small) }
    }
}

compiled::unary!(Sigmoid);

#[cfg(test)]
mod tests {
    use super::Sigmoid;
    use crate::map::UnaryFormula;
    use crate::map::formula_tests::{assert_error_within, assert_same_bits, assert_values};

    #[test]
    fn special_values() {
        assert_values(
            Sigmoid,
            &[
                (f32::NAN, f32::NAN),
                (f32::INFINITY, 1.0),
                (f32::NEG_INFINITY, 0.0),
                (f32::MIN, 0.0),
                (0.0, 0.5),
                (-0.0, 0.5),
                (20.0, 1.0),
                (-20.0, 2.061_153_6e-9),
                (-103.972_07, f32::from_bits(1)),
                (-103.972_1, 0.0),
            ],
        );
    }

    #[test]
    fn the_same_bits_everywhere() {
        assert_same_bits(Sigmoid);
    }

    #[test]
    fn the_error_is_below_an_ulp() {
        assert_error_within(Sigmoid, 0.99, |x| Sigmoid.f64(x));
    }
}
