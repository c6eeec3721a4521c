//! log(1 + e^x), the smooth form of max(x, 0).
//!
//! NaN gives NaN, +inf gives +inf, -inf gives +0. For large x the result is x, for negative x it tends to e^x and reaches
//! +0 below -103.97208, after subnormal results that are rounded once.

use super::exponential::{exp_sum, split};
use super::pieces::{Cut, Table, piece};
use super::{UnaryFormula, compiled};
use crate::simd::{Float, Simd};

/// log(1 + e^x).
///
/// f32: max(x, 0) + log(1 + e), where e = e^-|x| is kept as the sum of two floats. A polynomial of degree 6 in pieces gives
/// log(1 + e), as the module `pieces` describes; in the first, below 1/8, it is that of log(1 + e) - e. The sum of max(x, 0)
/// and the constant of the piece is kept as two floats as well. At most 0.95 ulp over all inputs.
#[derive(Debug, Clone, Copy)]
pub struct Softplus;

/// `a + offset` where the second piece starts.
const SECOND: f32 = 0.625;
const CUT: Cut = Cut {
    offset: 0.5,
    bits: 2,
    centres: [0.0, 0.160_343_3, 0.285_308_42, 0.410_470_58, 0.570_696_23, 0.820_613_74, 1.070_518_4, 0.0],
};
const COEFFICIENTS: [Table; 7] = [
    [0.0, 0.148_715_91, 0.250_998_7, 0.343_923_4, 0.451_518_98, 0.599_173_67, 0.727_799, 0.0],
    [-1.903_542_3e-10, 0.861_813_9, 0.778_023_36, 0.708_983_24, 0.636_660_34, 0.549_265_3, 0.482_970_83, 0.0],
    [-0.499_999_88, -0.371_361_58, -0.302_660_44, -0.251_328_62, -0.202_668_18, -0.150_846_2, -0.116_630_4, 0.0],
    [0.333_322_1, 0.213_372_3, 0.157_010_88, 0.118_790_33, 0.086_022_33, 0.055_236_85, 0.037_554_983, 0.0],
    [-0.249_615_13, -0.137_977_27, -0.091_558_07, -0.063_158_62, -0.041_088_272, -0.022_757_648, -0.013_613_32, 0.0],
    [0.193_974_58, 0.092_679_9, 0.046_922_155, 0.036_142_927, 0.020_744_875, 0.009_939_827, 0.005_130_223_5, 0.0],
    [
        -0.121_728_16,
        -0.040_626_016,
        0.042_543_106,
        -0.022_674_989,
        -0.009_010_886,
        -0.003_874_375_7,
        -0.001_305_017_6,
        0.0,
    ],
];

impl UnaryFormula for Softplus {
    const NAME: &'static str = "softplus";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
        // In this order of operands a NaN stays.
        let parts = split(simd, simd.f32(-104.0).max(-x.abs()));
        let [high, low] = exp_sum(simd, parts.r);
        let p = high + low;
        let (e, e_low) = (p.scale(parts.n), ((high - p) + low).scale(parts.n));
        let piece = piece(simd, e, &CUT);
        let [constant, rest @ ..] = &COEFFICIENTS;
        let first = piece.below(simd, SECOND);
        let constant = simd.select(first, e, piece.value(constant));
        let slope = piece.polynomial(rest);
        // The lower part of e counts by the slope there, which is 1 more in the first piece.
        let low = slope.mul_add(piece.d, simd.select(first, e_low, slope * e_low));
        let positive = simd.f32(0.0).max(x);
        let sum = positive + constant;
        let taken = sum - positive;
        let lost = (positive - (sum - taken)) + (constant - taken);
        let result = sum + (lost + low);
        simd.select(x.gt(simd.f32(20.0)), x, result)
    }

    fn f64(self, x: f64) -> f64 {
        if x.is_nan() { x } else { x.max(0.0) + libm::log1p(libm::exp(-x.abs())) }
    }
}

compiled::unary!(Softplus);

#[cfg(test)]
mod tests {
    use super::Softplus;
    use crate::map::UnaryFormula;
    use crate::map::formula_tests::{assert_error_within, assert_same_bits, assert_values};

    #[test]
    fn special_values() {
        assert_values(
            Softplus,
            &[
                (f32::NAN, f32::NAN),
                (f32::INFINITY, f32::INFINITY),
                (f32::NEG_INFINITY, 0.0),
                (f32::MAX, f32::MAX),
                (f32::MIN, 0.0),
                (0.0, std::f32::consts::LN_2),
                (-0.0, std::f32::consts::LN_2),
                (100.0, 100.0),
                (1000.0, 1000.0),
                (-12.339_2, 4.376_758e-6),
                (-103.972_07, f32::from_bits(1)),
                (-103.972_1, 0.0),
            ],
        );
        assert!(Softplus.f64(f64::NAN).is_nan());
    }

    #[test]
    fn the_same_bits_everywhere() {
        assert_same_bits(Softplus);
    }

    #[test]
    fn the_error_is_below_an_ulp() {
        assert_error_within(Softplus, 0.99, |x| Softplus.f64(x));
    }
}
