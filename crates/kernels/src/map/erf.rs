//! The error function.
//!
//! NaN gives NaN, ±inf give ±1, zeros of both signs give themselves, subnormals are right, and no result leaves [-1, 1].

use super::pieces::{Cut, Table, piece};
use super::{UnaryFormula, compiled};
use crate::simd::{Float, Int, Simd};

/// erf(x), the integral of 2/√π·e^-t² from 0 to x.
///
/// f32: the sign is set aside and |x| clamped to 4, from where on the result is 1. A polynomial of degree 7 in eight
/// pieces does the rest, as the module `pieces` describes; in the first, below 1/4, it is that of erf(x) - x, for the slope
/// 2/√π is no float. At most 0.71 ulp over all inputs.
#[derive(Debug, Clone, Copy)]
pub struct Erf;

/// Where the result has become 1.
const LIMIT: f32 = 4.0;
/// `a + offset` where the second piece starts.
const SECOND: f32 = 1.75;
const CUT: Cut = Cut {
    offset: 1.5,
    bits: 2,
    centres: [0.701_078_36, 1.201_350_1, 1.701_198_1, 2.200_705, 2.902_752_4, 3.623_574_7, 0.0, 0.350_646_3],
};
const COEFFICIENTS: [Table; 8] = [
    [0.678_546_1, 0.910_674_33, 0.983_865_44, 0.998_143_43, 0.999_959_6, 0.999_999_7, 0.0, 0.380_027_1],
    [
        0.690_231_2,
        0.266_479_02,
        0.062_456_01,
        0.008_894_511_5,
        2.472_919_3e-4,
        2.238_866_5e-6,
        0.128_379_17,
        0.997_831_76,
    ],
    [
        -0.483_906_15,
        -0.320_134_6,
        -0.106_250_055,
        -0.019_574_199,
        -7.176_720_5e-4,
        -8.223_9e-6,
        2.720_104_8e-7,
        -0.349_886,
    ],
    [
        -0.003_902_913_5,
        0.167_566_8,
        0.099_683_344,
        0.025_753_843,
        0.001_303_641_5,
        1.918_451_6e-5,
        -0.376_138_75,
        -0.250_815_2,
    ],
    [
        0.162_665_28,
        0.006_062_263,
        -0.049_373_28,
        -0.021_814_04,
        -0.001_654_891_3,
        -2.632_09e-5,
        2.041_864_2e-4,
        0.160_596_48,
    ],
    [
        -0.044_559_114,
        -0.053_036_61,
        0.003_672_698_3,
        0.011_446_238,
        0.001_562_392_3,
        8.963_545e-6,
        0.111_331_69,
        0.052_279_305,
    ],
    [
        -0.032_682_717,
        0.019_333_465,
        0.011_078_031,
        -0.002_529_906_8,
        -0.001_072_269,
        1.793_501_4e-5,
        0.004_976_675_4,
        -0.048_092_24,
    ],
    [
        0.018_108_381,
        0.003_855_980_2,
        -0.005_939_417,
        -7.280_304e-4,
        3.964_862_8e-4,
        -8.053_619e-6,
        -0.032_532_79,
        0.001_807_521_6,
    ],
];

impl UnaryFormula for Erf {
    const NAME: &'static str = "erf";

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
        libm::erf(x)
    }
}

compiled::unary!(Erf);

#[cfg(test)]
mod tests {
    use super::Erf;
    use crate::map::formula_tests::{assert_error_within, assert_same_bits, assert_values};

    #[test]
    fn special_values() {
        assert_values(
            Erf,
            &[
                (f32::NAN, f32::NAN),
                (f32::INFINITY, 1.0),
                (f32::NEG_INFINITY, -1.0),
                (f32::MIN, -1.0),
                (0.0, 0.0),
                (-0.0, -0.0),
                (f32::from_bits(10), f32::from_bits(11)),
                (1e-7, 1.128_379_2e-7),
                (-1.0, -0.842_700_8),
            ],
        );
    }

    #[test]
    fn the_same_bits_everywhere() {
        assert_same_bits(Erf);
    }

    #[test]
    fn the_error_is_below_an_ulp() {
        assert_error_within(Erf, 0.75, libm::erf);
    }
}
