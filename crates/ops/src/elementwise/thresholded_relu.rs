//! `ThresholdedRelu`: elements above a threshold, and zero.

use stratal_kernels::map::{Formula, UnaryFormula};
use stratal_kernels::simd::{Float, Simd};

use super::unary;
use crate::{Definition, dtypes};

/// `x` above a threshold, else 0. NaN stays NaN, though it is not above the threshold.
#[derive(Debug, Clone, Copy)]
pub struct ThresholdedRelu {
    /// The threshold: `alpha` in ONNX.
    pub threshold: f32,
}

impl ThresholdedRelu {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("ThresholdedRelu", 22, dtypes::FLOATS, &["alpha"], |node| {
        Ok(Box::new(Self { threshold: node.float_or("alpha", 1.0)? }))
    });
}

unary::operator!(ThresholdedRelu, |relu| Formula(*relu));

impl UnaryFormula for ThresholdedRelu {
    const NAME: &'static str = "thresholded_relu";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
        simd.select(x.le(simd.f32(self.threshold)), simd.f32(0.0), x)
    }

    fn f64(self, x: f64) -> f64 {
        if x <= f64::from(self.threshold) { 0.0 } else { x }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elementwise::testing::floats;

    #[test]
    fn the_threshold_itself_is_zero() {
        let result = floats(&ThresholdedRelu { threshold: -1.0 }, &[&[-1.0, -0.5, f32::NAN]]);
        assert_eq!(result[..2], [0.0, -0.5]);
        assert!(result[2].is_nan());
    }
}
