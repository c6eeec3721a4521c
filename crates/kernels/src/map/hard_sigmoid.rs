//! A sigmoid of straight lines.
//!
//! `alpha * x + beta` is rounded once, then cut at 0 and 1. NaN stays NaN.

use super::{UnaryFormula, compiled};
use crate::simd::{Float, Simd};

/// `alpha * x + beta`, at least 0 and at most 1.
#[derive(Debug, Clone, Copy)]
pub struct HardSigmoid {
    /// The slope; 0.2 by default in ONNX.
    pub alpha: f32,
    /// The value at 0; 0.5 by default in ONNX.
    pub beta: f32,
}

impl Default for HardSigmoid {
    /// ONNX's defaults.
    fn default() -> Self {
        Self { alpha: 0.2, beta: 0.5 }
    }
}

impl UnaryFormula for HardSigmoid {
    const NAME: &'static str = "hard_sigmoid";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
        let line = x.mul_add(simd.f32(self.alpha), simd.f32(self.beta));
        // In this order NaN passes both.
        simd.f32(1.0).min(simd.f32(0.0).max(line))
    }

    #[inline(always)]
    fn f64(self, x: f64) -> f64 {
        let line = x.mul_add(self.alpha.into(), self.beta.into());
        line.clamp(0.0, 1.0)
    }
}

compiled::unary!(HardSigmoid);
