//! The hyperbolic tangent.
//!
//! NaN gives NaN, ±inf give ±1, zeros and subnormals give themselves, and no result leaves [-1, 1].

use super::pieces::{Cut, Table, piece};
use super::{UnaryFormula, compiled};
use crate::simd::{Float, Int, Simd};

/// tanh(x).
///
/// f32: the sign is set aside and |x| clamped to 9.2, from where on the result is 1. A polynomial of degree 7 in eight
/// pieces does the rest, as the module `pieces` describes; in the first, below 1/4,
/// it is that of tanh(x) - x, which rounds less. At most 0.995 ulp over all inputs.
#[derive(Debug, Clone, Copy)]
pub struct Tanh;

/// Where the result has become 1.
const LIMIT: f32 = 9.2;
/// `a + offset` where the second piece starts.
const SECOND: f32 = 1.0;
const CUT: Cut = Cut {
    offset: 0.75,
    bits: 1,
    centres: [1.652_435_8, 2.652_921_7, 4.055_929, 6.054_159, 7.859_149_5, 0.0, 0.451_145_02, 0.951_398_1],
};
const COEFFICIENTS: [Table; 8] = [
    [0.929_191_1, 0.990_124, 0.999_400_26, 0.999_989, 0.999_999_7, 0.0, 0.422_839_76, 0.740_415_33],
    [
        0.136_603_47,
        0.019_654_49,
        0.001_199_279_4,
        2.205_664_9e-5,
        5.966_01e-7,
        1.473_537_3e-10,
        0.821_206_5,
        0.451_785_15,
    ],
    [
        -0.126_930_77,
        -0.019_460_37,
        -0.001_198_540_8,
        -2.205_603_8e-5,
        -6.025_728_7e-7,
        -5.579_398_3e-8,
        -0.347_238_63,
        -0.334_508_7,
    ],
    [
        0.072_426_69,
        0.012_716_688,
        7.962_145_6e-4,
        1.466_716_6e-5,
        3.994_402_4e-7,
        -0.333_329_9,
        -0.126_904_67,
        0.097_076_505,
    ],
    [
        -0.024_988_683,
        -0.006_104_658_4,
        -3.967_098e-4,
        -7.324_296e-6,
        -1.807_558_9e-7,
        -7.907_544e-5,
        0.169_383_32,
        0.039_632_26,
    ],
    [
        0.001_901_252_8,
        0.002_242_204,
        1.632_071_7e-4,
        3.033_545e-6,
        7.048_945_6e-8,
        0.134_179_3,
        -0.011_277_96,
        -0.051_471_93,
    ],
    [
        0.003_802_532_8,
        -6.143_331e-4,
        -5.628_626_2e-5,
        -1.059_305_1e-6,
        -3.746_210_5e-8,
        -0.004_420_429_5,
        -0.058_419_887,
        0.017_090_332,
    ],
    [
        -0.002_047_043,
        1.008_036_34e-4,
        1.139_500_1e-5,
        2.169_067_6e-7,
        1.215_474_2e-8,
        -0.044_254_467,
        0.026_223_505,
        0.002_979_146_8,
    ],
];

impl UnaryFormula for Tanh {
    const NAME: &'static str = "tanh";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
        let sign = x.bits() & simd.i32(i32::MIN);
        // In this order of operands a NaN stays.
        let a = simd.f32(LIMIT).min(x.abs());
        let piece = piece(simd, a, &CUT);
        let [constant, rest @ ..] = &COEFFICIENTS;
        let constant = simd.select(piece.below(simd, SECOND), a, piece.value(constant));
        let result = piece.polynomial(rest).mul_add(piece.d, constant);
        (result.bits() | sign).as_f32()
    }

    fn f64(self, x: f64) -> f64 {
        libm::tanh(x)
    }
}

compiled::unary!(Tanh);

#[cfg(test)]
mod tests {
    use super::Tanh;
    use crate::map::formula_tests::{assert_error_within, assert_same_bits, assert_values};

    #[test]
    fn special_values() {
        let smallest = f32::from_bits(1);
        assert_values(
            Tanh,
            &[
                (f32::NAN, f32::NAN),
                (f32::INFINITY, 1.0),
                (f32::NEG_INFINITY, -1.0),
                (20.0, 1.0),
                (-20.0, -1.0),
                (f32::MIN, -1.0),
                (0.0, 0.0),
                (-0.0, -0.0),
                (smallest, smallest),
                (-smallest, -smallest),
                (1e-4, 1e-4),
                (-1.0, -0.761_594_2),
            ],
        );
    }

    #[test]
    fn the_same_bits_everywhere() {
        assert_same_bits(Tanh);
    }

    #[test]
    fn the_error_is_below_an_ulp() {
        assert_error_within(Tanh, 0.995, libm::tanh);
    }
}
