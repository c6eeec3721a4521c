//! The hyperbolic tangent approximation of the Gaussian error linear unit: x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))).
//!
//! It equals x·σ(v), where σ is the logistic function and v = 2·√(2/π)·(x + 0.044715·x³); exact means that this, with the
//! real numbers √(2/π) and 0.044715, is what f32 results are measured against.
//!
//! NaN gives NaN, +inf gives +inf, -inf gives -0, zeros of both signs give themselves. For negative x the result tends to
//! -0, which it reaches below about -10.75, after subnormal results.

use super::exponential::split_sum;
use super::logistic::{TAIL, small, tail};
use super::{UnaryFormula, compiled};
use crate::simd::{Float, Mask, Simd};

/// x·σ(2·√(2/π)·(x + 0.044715·x³)).
///
/// f32: v as the sum of two floats, for an error of v is a relative error of the result in the tail; then as for
/// [`Silu`](super::Silu). Vectors with some |v| above 16.25 (|x| above 5.04) take a longer way, in which subnormal results
/// are rounded last. At most 0.9 ulp over all inputs.
#[derive(Debug, Clone, Copy)]
pub struct GeluTanh;

/// 2·√(2/π) as the sum of two floats, the first with twelve digits only.
const LINEAR: [f32; 2] = [1.595_703_1, 6.599_66e-5];
/// 2·√(2/π)·0.044715 as the sum of two floats.
const CUBIC: [f32; 2] = [0.071_354_814, 2.398_832_5e-9];

impl UnaryFormula for GeluTanh {
    const NAME: &'static str = "gelu_tanh";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
        let a = x.abs();
        let negative = x.lt(simd.f32(0.0));
        let [v, low] = argument(simd, a);
        let result = small::<_, true>(simd, split_sum(simd, simd.f32(TAIL).min(v), low)).times(simd, negative, x);
        let far = v.gt(simd.f32(TAIL));
        if !far.any() {
            return result;
        }
        // Where the product has become -0.
        let a = simd.f32(11.0).min(a);
        let [v, low] = argument(simd, a);
        let [high, low, n] = tail(simd, split_sum(simd, -v, -low));
        let below = (-a).mul_add(high, -a * low).scale(n);
        // x - x·σ(-v), whose second term matters little.
        let above = x + below;
        simd.select(far, simd.select(negative, below, above), result)
    }

    fn f64(self, x: f64) -> f64 {
        // Far beyond where the product becomes -0, or x.
        let limited = if x.abs() > 30.0 { 30.0_f64.copysign(x) } else { x };
        let v = 2.0 * (std::f64::consts::FRAC_2_PI).sqrt() * (limited + 0.044_715 * limited * limited * limited);
        // In two steps, so that the exponential keeps its digits.
        let root = libm::exp(-v.abs() / 2.0);
        let small = root * root;
        if x < 0.0 { limited * root / (1.0 + small) * root } else { x / (1.0 + small) }
    }
}

compiled::unary!(GeluTanh);

/// v for `a` = |x|: the first of twelve digits makes the sum's difference from it exact.
#[inline(always)]
fn argument<S: Simd>(simd: S, a: S::F32) -> [S::F32; 2] {
    let square = a * a;
    let square_low = a.mul_add(a, -square);
    let (linear, cubic) = (LINEAR.map(|value| simd.f32(value)), CUBIC.map(|value| simd.f32(value)));
    let sum = cubic[0].mul_add(square, linear[0]);
    let lost = cubic[0].mul_add(square, linear[0] - sum);
    let low = lost + cubic[0].mul_add(square_low, cubic[1].mul_add(square, linear[1]));
    let v = a * sum;
    [v, a.mul_add(low, a.mul_add(sum, -v))]
}

#[cfg(test)]
mod tests {
    use super::GeluTanh;
    use crate::map::UnaryFormula;
    use crate::map::formula_tests::{assert_error_within, assert_same_bits, assert_values};

    #[test]
    fn special_values() {
        assert_values(
            GeluTanh,
            &[
                (f32::NAN, f32::NAN),
                (f32::INFINITY, f32::INFINITY),
                (f32::NEG_INFINITY, -0.0),
                (f32::MAX, f32::MAX),
                (f32::MIN, -0.0),
                (0.0, 0.0),
                (-0.0, -0.0),
                (10.0, 10.0),
                (-11.0, -0.0),
            ],
        );
        assert!(GeluTanh.f64(f64::NAN).is_nan());
        assert_eq!(GeluTanh.f64(f64::NEG_INFINITY).to_bits(), (-0.0_f64).to_bits());
        assert_eq!(GeluTanh.f64(f64::INFINITY), f64::INFINITY);
    }

    #[test]
    fn the_same_bits_everywhere() {
        assert_same_bits(GeluTanh);
    }

    #[test]
    fn the_error_is_below_an_ulp() {
        assert_error_within(GeluTanh, 0.99, |x| GeluTanh.f64(x));
    }
}
