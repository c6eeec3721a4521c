//! The continuously differentiable exponential linear unit: x where x ≥ 0, alpha·(e^(x/alpha) - 1) elsewhere.
//!
//! NaN gives NaN, +inf gives +inf, -inf gives -alpha, zeros of both signs give themselves. alpha is meant to be above zero.

use super::elu::below;
use super::{UnaryFormula, compiled};
use crate::simd::{Float, Simd};

/// x where x ≥ 0, alpha·(e^(x/alpha) - 1) elsewhere.
///
/// f32: as for [`Elu`](super::Elu) at x/alpha, the quotient rounded: an error of the argument is at most the same relative
/// error of the result. The same results as of `Elu` for an alpha of 1, where the bound is the same; any other alpha rounds
/// twice more.
#[derive(Debug, Clone, Copy)]
pub struct Celu {
    /// The negative of the limit at -inf.
    pub alpha: f32,
}

impl Default for Celu {
    /// ONNX's default.
    fn default() -> Self {
        Self { alpha: 1.0 }
    }
}

impl UnaryFormula for Celu {
    const NAME: &'static str = "celu";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
        let alpha = simd.f32(self.alpha);
        simd.select(x.lt(simd.f32(0.0)), alpha * below(simd, x / alpha), x)
    }

    fn f64(self, x: f64) -> f64 {
        let alpha = f64::from(self.alpha);
        if x < 0.0 { alpha * libm::expm1(x / alpha) } else { x }
    }
}

compiled::unary!(Celu);

#[cfg(test)]
mod tests {
    use super::Celu;
    use crate::map::formula_tests::{assert_error_within, assert_same_bits, assert_values};
    use crate::map::{Elu, UnaryFormula};

    #[test]
    fn special_values() {
        assert_values(
            Celu { alpha: 2.0 },
            &[
                (f32::NAN, f32::NAN),
                (f32::INFINITY, f32::INFINITY),
                (f32::NEG_INFINITY, -2.0),
                (f32::MIN, -2.0),
                (0.0, 0.0),
                (-0.0, -0.0),
                (100.0, 100.0),
                (-2.0, -1.264_241_1),
            ],
        );
    }

    #[test]
    fn the_same_bits_everywhere() {
        assert_same_bits(Celu { alpha: 1.0 });
        assert_same_bits(Celu { alpha: 0.3 });
    }

    #[test]
    fn the_error_is_small() {
        let elu = Elu { alpha: 1.0 };
        assert_error_within(Celu { alpha: 1.0 }, 0.99, |x| elu.f64(x));
        // Results below the smallest normal number aside, where the quotient's rounding counts for more.
        let celu = Celu { alpha: 2.0 };
        assert_error_within(celu, 2.0, |x| celu.f64(x));
    }
}
