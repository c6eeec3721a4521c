//! The scaled exponential linear unit: gamma·x where x ≥ 0, gamma·alpha·(e^x - 1) elsewhere.
//!
//! NaN gives NaN, +inf gives +inf, -inf gives -gamma·alpha, zeros of both signs give themselves.

use super::elu::below;
use super::{UnaryFormula, compiled};
use crate::simd::{Float, Simd};

/// gamma·x where x ≥ 0, gamma·alpha·(e^x - 1) elsewhere.
///
/// f32: as for [`Elu`](super::Elu), times gamma·alpha, which is exact as the sum of two floats. At most 1.7 ulp over all
/// inputs for the attributes that ONNX takes by default.
#[derive(Debug, Clone, Copy)]
pub struct Selu {
    /// The ratio of the limit at -inf to the slope on the right, without its sign.
    pub alpha: f32,
    /// The slope on the right.
    pub gamma: f32,
}

impl Default for Selu {
    /// ONNX's defaults.
    fn default() -> Self {
        Self { alpha: 1.673_263_2, gamma: 1.050_701 }
    }
}

impl UnaryFormula for Selu {
    const NAME: &'static str = "selu";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
        let product = self.gamma * self.alpha;
        // What the product loses by rounding; nothing if it is not finite.
        let lost = self.gamma.mul_add(self.alpha, -product);
        let lost = if lost.is_finite() { lost } else { 0.0 };
        let below = below(simd, x);
        let below = below.mul_add(simd.f32(product), below * simd.f32(lost));
        simd.select(x.lt(simd.f32(0.0)), below, simd.f32(self.gamma) * x)
    }

    fn f64(self, x: f64) -> f64 {
        let gamma = f64::from(self.gamma);
        if x < 0.0 { gamma * f64::from(self.alpha) * libm::expm1(x) } else { gamma * x }
    }
}

compiled::unary!(Selu);

#[cfg(test)]
mod tests {
    use super::Selu;
    use crate::map::UnaryFormula;
    use crate::map::formula_tests::{assert_error_within, assert_same_bits, assert_values};

    /// The defaults of ONNX.
    const SELU: Selu = Selu { alpha: 1.673_263_2, gamma: 1.050_701 };

    #[test]
    fn special_values() {
        assert_values(
            SELU,
            &[
                (f32::NAN, f32::NAN),
                (f32::INFINITY, f32::INFINITY),
                (f32::NEG_INFINITY, -1.758_099_3),
                (f32::MIN, -1.758_099_3),
                (0.0, 0.0),
                (-0.0, -0.0),
                (1.0, 1.050_701),
            ],
        );
    }

    #[test]
    fn the_same_bits_everywhere() {
        assert_same_bits(SELU);
    }

    #[test]
    fn the_error_is_below_two_ulps() {
        assert_error_within(SELU, 1.8, |x| SELU.f64(x));
    }
}
