//! The Gaussian error linear unit x·Φ(x), where Φ is the distribution function of the normal distribution.
//!
//! NaN gives NaN, +inf gives +inf, -inf gives -0, zeros of both signs give themselves. For negative x the result tends to
//! -0, which it reaches below about -14.36, after subnormal results.

use super::UnaryFormula;
use super::exponential::{expm1, split_sum};
use super::logistic::share;
use super::pieces::{Cut, Table, piece};
use crate::simd::{Float, Mask, Simd};

/// x·Φ(x).
///
/// f32: with a = |x| the upper tail is 1 - Φ(a) = e^(-a²/2)·R(a). The square is exact as a sum of two floats. R falls
/// slowly, from 1/2 to 0.027 at 14.6, so a polynomial of degree 7 in eight pieces gives it, as the module `pieces`
/// describes. The product is kept as the sum of two floats until x or 1 comes in. Vectors with some |x| above 12.5 take a
/// longer way, in which subnormal results are rounded last. At most ULPS ulp over all inputs.
#[derive(Debug, Clone, Copy)]
pub struct Gelu;

/// Above it, powers of two are not normal numbers.
const FAR: f32 = 12.5;
const CUT: Cut = Cut {
    offset: 1.0,
    bits: 1,
    centres: [1.402_615_2, 2.402_386_7, 3.804_391_6, 5.803_781_5, 8.607_292, 12.447_076, 0.0, 0.701_296_5],
};
const COEFFICIENTS: [Table; 8] = [
    [0.214_917_35, 0.145_917_56, 0.098_760_75, 0.066_856_88, 0.045_747_485, 0.031_848_09, 0.5, 0.308_901_4],
    [
        -0.097_495_96,
        -0.048_391_87,
        -0.023_217_74,
        -0.010_919_537,
        -0.005_180_316,
        -0.002_526_668_4,
        -0.398_942_26,
        -0.182_310_8,
    ],
    [
        0.039_084_03,
        0.014_830_792,
        0.005_215_724_5,
        0.001_741_139_6,
        5.795_206_5e-4,
        1.992_293e-4,
        0.249_999_09,
        0.090_523_735,
    ],
    [
        -0.014_224_775,
        -0.004_254_100_4,
        -0.001_124_863_3,
        -2.714_353_6e-4,
        -6.405_896_4e-5,
        -1.561_487e-5,
        -0.132_965_46,
        -0.039_609_16,
    ],
    [
        0.004_782_421,
        0.001_152_586_7,
        2.338_064_8e-4,
        4.142_933e-5,
        6.999_288_4e-6,
        1.216_681_9e-6,
        0.062_376_477,
        0.015_686_499,
    ],
    [
        -0.001_510_095,
        -2.979_314_6e-4,
        -4.748_732_7e-5,
        -6.229_156e-6,
        -7.672_816e-7,
        -9.458_776e-8,
        -0.026_053_93,
        -0.005_719_364_6,
    ],
    [
        4.535_401e-4,
        7.418_178e-5,
        9.514_521_5e-6,
        9.253_377e-7,
        8.498_128e-8,
        7.349_579_6e-9,
        0.009_069_504,
        0.001_951_153_7,
    ],
    [
        -1.048_196_4e-4,
        -1.473_343_5e-5,
        -1.410_740_7e-6,
        -1.073_707_45e-7,
        -6.857_537e-9,
        -4.590_511_6e-10,
        -0.001_943_033_5,
        -5.909_747_6e-4,
    ],
];

impl UnaryFormula for Gelu {
    const NAME: &'static str = "gelu";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
        let a = x.abs();
        let negative = x.lt(simd.f32(0.0));
        let tail = upper_tail(simd, a);
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
    let q = expm1(simd, exponent.r);
    let piece = piece(simd, a, &CUT);
    let [constant, rest @ ..] = &COEFFICIENTS;
    let constant = piece.value(constant);
    let difference = piece.polynomial(rest) * piece.d;
    // (1 + q)·(constant + difference), each factor as a sum of two floats.
    let one = simd.f32(1.0);
    let (p, r) = (one + q, constant + difference);
    let (p_low, r_low) = ((one - p) + q, (constant - r) + difference);
    let high = p * r;
    let low = p_low.mul_add(r, p.mul_add(r_low, p.mul_add(r, -high)));
    UpperTail { high, low, n: exponent.n, power: exponent.power(simd) }
}
