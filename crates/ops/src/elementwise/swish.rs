//! `Swish`: an operand times its logistic function.

use stratal_kernels::map::{Exp, Formula, Sigmoid, Silu, UnaryFormula};
use stratal_kernels::simd::{Float, Int, Mask, Simd};

use super::unary;
use crate::{Definition, dtypes};

/// `x * sigmoid(alpha * x)`. Accurate where the logistic function is near zero too; where `alpha * x` is negative infinity the
/// result is zero, which is its limit.
#[derive(Debug, Clone, Copy)]
pub struct Swish {
    /// What the operand of the logistic function is multiplied by.
    pub alpha: f32,
}

impl Default for Swish {
    fn default() -> Self {
        Self { alpha: 1.0 }
    }
}

impl Swish {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("Swish", 24, dtypes::FLOATS, &["alpha"], |node| {
        Ok(Box::new(Self { alpha: node.float_or("alpha", 1.0)? }))
    });
}

unary::operator!(Swish, |swish| Formula(*swish));

/// Below this `sigmoid(z)` is `exp(z)` to all digits of an f32.
const TAIL: f32 = -20.0;
/// Below this half of it has no exponential in f32: not even the largest operand gives more than zero.
const END: f32 = -208.0;

/// An error of the product `z` is a relative error of the result as great as `z`, so what the product loses by rounding is
/// kept: the slope of the logistic function `s` is `s * (1 - s)`. In the tail the exponential is taken in two halves, so
/// that a subnormal result is rounded once. The error is below 4 ulp.
impl UnaryFormula for Swish {
    const NAME: &'static str = "swish";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
        if self.alpha == 1.0 {
            return Silu.f32(simd, x);
        }
        let z = x * simd.f32(self.alpha);
        let lost = x.mul_add(simd.f32(self.alpha), -z);
        // Where a function is flat: the difference of infinities is not wanted.
        let lost = simd.select(z.abs().gt(simd.f32(-END)), simd.f32(0.0), lost);
        let share = Sigmoid.f32(simd, z);
        let slope = share * (simd.f32(1.0) - share);
        let result = x * slope.mul_add(lost, share);
        let is_tail = z.lt(simd.f32(TAIL));
        if !is_tail.any() {
            return result;
        }
        let root = Exp.f32(simd, z * simd.f32(0.5));
        let product = x * root;
        let tail = product.mul_add(lost, product) * root;
        let zero = (x.bits() & simd.i32(i32::MIN)).as_f32();
        simd.select(is_tail, simd.select(z.lt(simd.f32(END)), zero, tail), result)
    }

    fn f64(self, x: f64) -> f64 {
        let alpha = f64::from(self.alpha);
        let z = x * alpha;
        if z < -1500.0 {
            return 0_f64.copysign(x);
        }
        let lost = if z.abs() > 1500.0 { 0.0 } else { x.mul_add(alpha, -z) };
        let root = Exp.f64(-z.abs() / 2.0);
        let small = root * root;
        if z < 0.0 {
            let product = x * root / (1.0 + small);
            (product + product * (lost / (1.0 + small))) * root
        } else {
            let share = 1.0 / (1.0 + small);
            x * (share + share * share * small * lost)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elementwise::testing::{assert_accurate, floats};

    #[test]
    fn limits_are_right() {
        let result = floats(&Swish { alpha: 1.5 }, &[&[f32::NEG_INFINITY, f32::INFINITY, -0.0, f32::NAN, -1e30]]);
        assert_eq!(result[..3], [-0.0, f32::INFINITY, -0.0]);
        assert!(result[0].is_sign_negative() && result[2].is_sign_negative() && result[3].is_nan());
        assert_eq!(result[4], 0.0);
        // A negative factor mirrors it.
        assert_eq!(floats(&Swish { alpha: -1.5 }, &[&[f32::INFINITY, f32::NEG_INFINITY]]), [0.0, f32::NEG_INFINITY]);
    }

    #[test]
    fn tails_are_accurate() {
        for alpha in [1.0_f32, 1.702, 0.3, -0.7, 25.0] {
            let exact = |x: f64| {
                let z = x * f64::from(alpha);
                if z < 0.0 { x * z.exp() / (1.0 + z.exp()) } else { x / (1.0 + (-z).exp()) }
            };
            assert_accurate(&Swish { alpha }, exact, 4.0);
        }
    }
}
