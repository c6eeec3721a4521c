//! `Mish`: an operand times the hyperbolic tangent of its softplus.

use stratal_kernels::map::{Exp, Formula, UnaryFormula};
use stratal_kernels::simd::{Float, Int, Mask, Simd};

use super::unary;
use crate::{Definition, dtypes};

/// `x * tanh(log(1 + exp(x)))`. Negative infinity gives a negative zero, which is its limit.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mish;

impl Mish {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("Mish", 22, dtypes::FLOATS, &[], |_| Ok(Box::new(Self)));
}

unary::operator!(Mish, |_| Formula(Mish));

/// The hyperbolic tangent of `log(1 + e)` is `n / (n + 2)` with `n = e * (e + 2)`, which is 1 above 20. Below -20 it is `e`
/// to all digits of an f32; there the exponential is taken in two halves, so that a subnormal result is rounded once. The
/// error is below 4 ulp.
impl UnaryFormula for Mish {
    const NAME: &'static str = "mish";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
        let two = simd.f32(2.0);
        // In this order of operands a NaN stays.
        let power = Exp.f32(simd, simd.f32(20.0).min(x));
        let n = power * (power + two);
        let result = x * (n / (n + two));
        let is_tail = x.lt(simd.f32(-20.0));
        if !is_tail.any() {
            return result;
        }
        let root = Exp.f32(simd, x * simd.f32(0.5));
        let tail = (x * root) * root;
        let zero = (x.bits() & simd.i32(i32::MIN)).as_f32();
        simd.select(is_tail, simd.select(x.lt(simd.f32(-200.0)), zero, tail), result)
    }

    fn f64(self, x: f64) -> f64 {
        if x < -1500.0 {
            return -0.0;
        }
        if x < -40.0 {
            let root = Exp.f64(x / 2.0);
            return x * root * root;
        }
        let power = Exp.f64(if x > 40.0 { 40.0 } else { x });
        let n = power * (power + 2.0);
        x * (n / (n + 2.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elementwise::testing::{assert_accurate, floats};

    #[test]
    fn limits_are_right() {
        let result = floats(&Mish, &[&[f32::NEG_INFINITY, -0.0, f32::INFINITY, f32::NAN, f32::MIN]]);
        assert!(result[..2].iter().all(|&x| x == 0.0 && x.is_sign_negative()));
        assert!(result[2] == f32::INFINITY && result[3].is_nan() && result[4] == 0.0);
    }

    #[test]
    fn tails_are_accurate() {
        assert_accurate(&Mish, |x| if x > 50.0 { x } else { x * x.exp().ln_1p().tanh() }, 4.0);
    }
}
