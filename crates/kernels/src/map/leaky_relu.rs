//! The rectifier that lets a part of negative numbers through.
//!
//! Correctly rounded. NaN stays NaN, zeros stay.

use super::{UnaryFormula, compiled};
use crate::simd::{Float, Simd};

/// `alpha * x` below zero, else `x`.
#[derive(Debug, Clone, Copy)]
pub struct LeakyRelu {
    /// The slope below zero; 0.01 by default in ONNX.
    pub alpha: f32,
}

impl Default for LeakyRelu {
    /// ONNX's default.
    fn default() -> Self {
        Self { alpha: 0.01 }
    }
}

impl UnaryFormula for LeakyRelu {
    const NAME: &'static str = "leaky_relu";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
        let scaled = x * simd.f32(self.alpha);
        simd.select(x.lt(simd.f32(0.0)), scaled, x)
    }

    #[inline(always)]
    fn f64(self, x: f64) -> f64 {
        if x < 0.0 { x * f64::from(self.alpha) } else { x }
    }
}

compiled::unary!(LeakyRelu);
