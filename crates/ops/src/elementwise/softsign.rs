//! `Softsign`: an operand over one more than its size.

use stratal_kernels::map::{Formula, UnaryFormula};
use stratal_kernels::simd::{Float, Simd};

use super::unary;
use crate::{Definition, dtypes};

/// `x / (1 + |x|)`. Infinities give their sign, which is the limit, where the quotient of infinities would be NaN.
#[derive(Debug, Clone, Copy, Default)]
pub struct Softsign;

impl Softsign {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("Softsign", 22, dtypes::FLOATS, &[], |_| Ok(Box::new(Self)));
}

unary::operator!(Softsign, |_| Formula(Softsign));

impl UnaryFormula for Softsign {
    const NAME: &'static str = "softsign";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
        // In this order of operands a NaN stays.
        let x = simd.f32(f32::MAX).min(simd.f32(f32::MIN).max(x));
        x / (simd.f32(1.0) + x.abs())
    }

    fn f64(self, x: f64) -> f64 {
        let x = x.clamp(f64::MIN, f64::MAX);
        x / (1.0 + x.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elementwise::testing::floats;

    #[test]
    fn infinities_give_the_limit() {
        let result = floats(&Softsign, &[&[f32::INFINITY, f32::NEG_INFINITY, f32::MAX, -0.0, f32::NAN]]);
        assert_eq!(result[..4], [1.0, -1.0, 1.0, 0.0]);
        assert!(result[3].is_sign_negative() && result[4].is_nan());
        assert_eq!(Softsign.f64(f64::NEG_INFINITY), -1.0);
    }
}
