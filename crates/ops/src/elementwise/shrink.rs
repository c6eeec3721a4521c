//! `Shrink`: elements near zero become zero, others come nearer.

use stratal_kernels::Integer;
use stratal_kernels::map::{Formula, UnaryFormula};
use stratal_kernels::simd::{Float, Simd};
use stratal_tensor_base::Scalar;

use super::unary;
use crate::{Definition, dtypes};

/// `x + bias` below `-threshold`, `x - bias` above `threshold`, and 0 between them.
///
/// NaN stays NaN, though it is neither. Of integers the sum is exact, then rounded toward zero, and cut at the ends
/// of the dtype.
#[derive(Debug, Clone, Copy)]
pub struct Shrink {
    /// By how much elements come nearer to zero.
    pub bias: f32,
    /// Up to which size elements become zero: `lambd` in ONNX.
    pub threshold: f32,
}

impl Shrink {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("Shrink", 9, dtypes::NUMBERS, &["bias", "lambd"], |node| {
        Ok(Box::new(Self { bias: node.float_or("bias", 0.0)?, threshold: node.float_or("lambd", 0.5)? }))
    });
}

unary::operator!(Shrink, |shrink| Formula(*shrink));

impl UnaryFormula for Shrink {
    const NAME: &'static str = "shrink";

    const HAS_INTEGERS: bool = true;

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
        let bias = simd.f32(self.bias);
        let near = simd.select(x.is_nan(), x, simd.f32(0.0));
        let not_below = simd.select(x.gt(simd.f32(self.threshold)), x - bias, near);
        simd.select(x.lt(simd.f32(-self.threshold)), x + bias, not_below)
    }

    fn f64(self, x: f64) -> f64 {
        let (bias, threshold) = (f64::from(self.bias), f64::from(self.threshold));
        if x < -threshold {
            x + bias
        } else if x > threshold {
            x - bias
        } else if x.is_nan() {
            x
        } else {
            0.0
        }
    }

    #[inline(always)]
    fn integer<T: Integer>(self, x: T) -> T {
        let (bias, threshold) = (f64::from(self.bias), f64::from(self.threshold));
        let x = match x.into() {
            Scalar::U64(x) => i128::from(x),
            x => x.cast::<i64>().into(),
        };
        if bias.is_nan() || threshold.is_nan() {
            T::ZERO
        } else if x < (-threshold).ceil() as i128 {
            T::nearest(truncated_sum(x, bias))
        } else if x > threshold.floor() as i128 {
            T::nearest(truncated_sum(x, -bias))
        } else {
            T::ZERO
        }
    }
}

/// The exact sum, rounded toward zero.
fn truncated_sum(x: i128, bias: f64) -> i128 {
    let below = x.saturating_add(bias.floor() as i128);
    let is_between = bias.fract() != 0.0;
    below + i128::from(is_between && below < 0)
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;

    use super::*;
    use crate::Context;
    use crate::elementwise::testing::floats;

    #[test]
    fn nan_stays_and_limits_are_near() {
        let result = floats(&Shrink { bias: 1.0, threshold: 1.5 }, &[&[-2.0, -1.5, 1.5, 2.0, f32::NAN]]);
        assert_eq!(result[..4], [-1.0, 0.0, 0.0, 1.0]);
        assert!(result[4].is_nan());
    }

    #[test]
    fn integers_are_exact() {
        let large = (1_i64 << 60) + 1;
        let x = Tensor::from_slice(&[large, -large, -2, -1, 1, 2, i64::MIN], &[7]).unwrap();
        let run = |bias, threshold| {
            let result = Context::new().unwrap().run(&Shrink { bias, threshold }, &[Some(&x)]).unwrap().remove(0);
            result.to_vec::<i64>().unwrap()
        };
        assert_eq!(run(1.0, 1.0), [large - 1, 1 - large, -1, 0, 0, 1, i64::MIN + 1]);
        assert_eq!(run(0.5, 0.5), [large - 1, 1 - large, -1, 0, 0, 1, i64::MIN + 1]);
        assert_eq!(run(-1.0, 1.5), [large + 1, -large - 1, -3, 0, 0, 3, i64::MIN]);
    }
}
