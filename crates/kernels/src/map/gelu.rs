//! The Gaussian error linear unit x·Φ(x), where Φ is the distribution function of the normal distribution.
//!
//! NaN gives NaN, +inf gives +inf, -inf gives -0, zeros of both signs give themselves. For negative x the result tends to
//! -0, which it reaches below about -14.36, after subnormal results.

use super::exponential::{exp_sum, split_sum};
use super::logistic::share;
use super::pieces::{Cut, Table, piece};
use super::{UnaryFormula, compiled};
use crate::simd::{Float, Mask, Simd};

/// x·Φ(x).
///
/// f32: with a = |x| the upper tail is 1 - Φ(a) = e^(-a²/2)·R(a). The square is exact as a sum of two floats. R falls
/// slowly, from 1/2 to 0.027 at 14.6, so a polynomial of degree 8 in eight pieces gives it, as the module `pieces`
/// describes. The product is kept as the sum of two floats until x or 1 comes in. Vectors with some |x| above 10 take a
/// longer way, in which subnormal results are rounded last. At most 1.01 ulp over all inputs (one of them is above 1).
#[derive(Debug, Clone, Copy)]
pub struct Gelu;

/// Up to here no product is subnormal.
const FAR: f32 = 10.0;
const CUT: Cut = Cut {
    offset: 1.0,
    bits: 1,
    centres: [1.500_066_2, 2.500_043_2, 4.000_044_3, 6.001_253, 9.001_333, 12.800_352, 0.0, 0.750_147_46],
};
const COEFFICIENTS: [Table; 9] = [
    [0.205_774_7, 0.141_329_36, 0.094_409_7, 0.064_766_45, 0.043_792_453, 0.030_979_674, 0.5, 0.300_206_84],
    [
        -0.090_266_62,
        -0.045_612_775,
        -0.021_299_304,
        -0.010_262_409,
        -0.004_751_82,
        -0.002_391_541_4,
        -0.398_942_3,
        -0.173_742_88,
    ],
    [
        0.035_184_395,
        0.013_647_73,
        0.004_605_762_7,
        0.001_589_567_2,
        5.098_652_3e-4,
        1.835_511_2e-4,
        0.250_000_54,
        0.084_937_03,
    ],
    [
        -0.012_495_975,
        -0.003_830_932_8,
        -9.587_111e-4,
        -2.410_066_4e-4,
        -5.411_954e-5,
        -1.400_745_7e-5,
        -0.132_989_35,
        -0.036_676_615,
    ],
    [
        0.004_109_899_5,
        0.001_017_531_3,
        1.927_478_3e-4,
        3.581_169_6e-5,
        5.684_282_3e-6,
        1.063_011_2e-6,
        0.062_564_55,
        0.014_356_239,
    ],
    [
        -0.001_265_206_8,
        -2.575_317_6e-4,
        -3.744_951e-5,
        -5.213_687_5e-6,
        -5.890_875e-7,
        -8.014_594e-8,
        -0.026_848_745,
        -0.005_156_998,
    ],
    [
        3.685_448_3e-4,
        6.242_662e-5,
        7.090_168_8e-6,
        7.437_240_6e-7,
        6.057_565e-8,
        5.991_696_5e-9,
        0.010_920_455,
        0.001_743_618_6,
    ],
    [
        -1.063_683_6e-4,
        -1.447_631_2e-5,
        -1.412_198_6e-6,
        -1.113_986_7e-7,
        -6.798_386e-9,
        -4.730_953_4e-10,
        -0.004_181_684_5,
        -7.797_316e-4,
    ],
    [
        2.732_02e-5,
        3.104_734_6e-6,
        2.483_572_8e-7,
        1.676_815_7e-8,
        6.947_097_3e-10,
        3.903_526e-11,
        0.001_098_479_4,
        1.754_879_5e-4,
    ],
];

impl UnaryFormula for Gelu {
    const NAME: &'static str = "gelu";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
        let a = x.abs();
        let negative = x.lt(simd.f32(0.0));
        let tail = upper_tail(simd, simd.f32(FAR).min(a));
        let result = share(simd, [tail.high * tail.power, tail.low * tail.power], negative, x);
        let far = a.gt(simd.f32(FAR));
        if !far.any() {
            return result;
        }
        // Where the product has become -0.
        let a = simd.f32(14.5).min(a);
        let tail = upper_tail(simd, a);
        let below = (-a).mul_add(tail.high, -a * tail.low).scale(tail.n);
        simd.select(far, simd.select(negative, below, x), result)
    }

    fn f64(self, x: f64) -> f64 {
        // The product is -0 at -40.
        let x = if x < -40.0 { -40.0 } else { x };
        x * (0.5 * libm::erfc(x * -std::f64::consts::FRAC_1_SQRT_2))
    }
}

compiled::unary!(Gelu);

/// 1 - Φ(a) = 2^n·(high + low).
struct UpperTail<S: Simd> {
    high: S::F32,
    low: S::F32,
    n: S::F32,
    /// 2^n, if that is normal.
    power: S::F32,
}

/// The upper tail at a from 0 to 14.5.
#[inline(always)]
fn upper_tail<S: Simd>(simd: S, a: S::F32) -> UpperTail<S> {
    let half = a * simd.f32(-0.5);
    let exponent = a * half;
    let exponent = split_sum(simd, exponent, a.mul_add(half, -exponent));
    let [p, p_low] = exp_sum(simd, exponent.r);
    let piece = piece(simd, a, &CUT);
    let [constant, rest @ ..] = &COEFFICIENTS;
    let constant = piece.value(constant);
    let slope = piece.polynomial(rest);
    let r = slope.mul_add(piece.d, constant);
    let r_low = slope.mul_add(piece.d, constant - r);
    let high = p * r;
    let low = p_low.mul_add(r, p.mul_add(r_low, p.mul_add(r, -high)));
    UpperTail { high, low, n: exponent.n, power: exponent.power() }
}

#[cfg(test)]
mod tests {
    use super::Gelu;
    use crate::map::UnaryFormula;
    use crate::map::formula_tests::{assert_error_within, assert_same_bits, assert_values, at};

    #[test]
    fn special_values() {
        let smallest = f32::from_bits(1);
        assert_values(
            Gelu,
            &[
                (f32::NAN, f32::NAN),
                (f32::INFINITY, f32::INFINITY),
                (f32::NEG_INFINITY, -0.0),
                (f32::MAX, f32::MAX),
                (f32::MIN, -0.0),
                (0.0, 0.0),
                (-0.0, -0.0),
                (2.0 * smallest, smallest),
                (10.0, 10.0),
                (-14.3, -smallest),
                (-14.5, -0.0),
            ],
        );
        assert!((at(Gelu, -5.0) / -1.433_258e-6 - 1.0).abs() < 1e-6);
        assert!((at(Gelu, -10.0) / -7.619_853e-23 - 1.0).abs() < 1e-6);
        assert!(Gelu.f64(f64::NAN).is_nan());
        assert_eq!(Gelu.f64(f64::NEG_INFINITY).to_bits(), (-0.0_f64).to_bits());
    }

    #[test]
    fn the_same_bits_everywhere() {
        assert_same_bits(Gelu);
    }

    #[test]
    fn the_error_is_below_an_ulp() {
        assert_error_within(Gelu, 0.99, |x| Gelu.f64(x));
    }
}
