//! The exponential linear unit: x where x ≥ 0, alpha·(e^x - 1) elsewhere.
//!
//! NaN gives NaN, +inf gives +inf, -inf gives -alpha, zeros of both signs give themselves, and small negative x give
//! alpha·x without loss.

use super::exponential::{expm1, split};
use super::{UnaryFormula, compiled};
use crate::simd::{Float, Simd};

/// x where x ≥ 0, alpha·(e^x - 1) elsewhere.
///
/// f32: e^x - 1 = 2^n·q + (2^n - 1), with q = e^r - 1 as the module `exponential` describes; the second summand is exact or
/// -1. x is clamped to -25, where the result has become -alpha. At most 0.95 ulp over all inputs for an alpha of 1; any
/// other rounds once more.
#[derive(Debug, Clone, Copy)]
pub struct Elu {
    /// The negative of the limit at -inf.
    pub alpha: f32,
}

impl Default for Elu {
    /// ONNX's default.
    fn default() -> Self {
        Self { alpha: 1.0 }
    }
}

impl UnaryFormula for Elu {
    const NAME: &'static str = "elu";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
        simd.select(x.lt(simd.f32(0.0)), simd.f32(self.alpha) * below(simd, x), x)
    }

    fn f64(self, x: f64) -> f64 {
        if x < 0.0 { f64::from(self.alpha) * libm::expm1(x) } else { x }
    }
}

compiled::unary!(Elu);

/// e^x - 1, for x below zero; elsewhere unspecified.
#[inline(always)]
pub(super) fn below<S: Simd>(simd: S, x: S::F32) -> S::F32 {
    let parts = split(simd, simd.f32(-25.0).max(x));
    let power = parts.power();
    power.mul_add(expm1(simd, parts.r), power - simd.f32(1.0))
}

#[cfg(test)]
mod tests {
    use super::Elu;
    use crate::map::UnaryFormula;
    use crate::map::formula_tests::{assert_error_within, assert_same_bits, assert_values};

    #[test]
    fn special_values() {
        let smallest = f32::from_bits(1);
        assert_values(
            Elu { alpha: 2.0 },
            &[
                (f32::NAN, f32::NAN),
                (f32::INFINITY, f32::INFINITY),
                (f32::NEG_INFINITY, -2.0),
                (f32::MAX, f32::MAX),
                (f32::MIN, -2.0),
                (0.0, 0.0),
                (-0.0, -0.0),
                (100.0, 100.0),
                (smallest, smallest),
                (-smallest, -2.0 * smallest),
                (-1e-9, -2e-9),
                (-1.0, -1.264_241_1),
            ],
        );
    }

    #[test]
    fn the_same_bits_everywhere() {
        assert_same_bits(Elu { alpha: 1.0 });
        assert_same_bits(Elu { alpha: 0.3 });
    }

    #[test]
    fn the_error_is_below_an_ulp() {
        let elu = Elu { alpha: 1.0 };
        assert_error_within(elu, 0.99, |x| elu.f64(x));
        let elu = Elu { alpha: 0.3 };
        assert_error_within(elu, 2.0, |x| elu.f64(x));
    }
}
