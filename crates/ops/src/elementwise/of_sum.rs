//! `OfSum`: an activation of an operand and a bias, in one step.

use stratal_kernels::map::{BinaryFormula, UnaryFormula};
use stratal_kernels::simd::Simd;

/// A formula at the sum of two operands. The sum of 16-bit floats is not rounded to 16 bits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OfSum<F>(pub(crate) F);

impl<F: UnaryFormula> BinaryFormula for OfSum<F> {
    const NAME: &'static str = F::NAME;

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, a: S::F32, b: S::F32) -> S::F32 {
        self.0.f32(simd, a + b)
    }

    fn f64(self, a: f64, b: f64) -> f64 {
        self.0.f64(a + b)
    }
}
