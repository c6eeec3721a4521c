//! Whether a float is infinite.

use super::{PredicateFormula, compiled};
use crate::simd::{Float, Simd};

/// Whether `x` is infinite, and of a sign that is looked for.
#[derive(Debug, Clone, Copy)]
pub struct IsInf {
    /// Whether -inf counts.
    pub negative: bool,
    /// Whether inf counts.
    pub positive: bool,
}

impl Default for IsInf {
    /// Both signs count, as by default in ONNX.
    fn default() -> Self {
        Self { negative: true, positive: true }
    }
}

impl PredicateFormula for IsInf {
    const NAME: &'static str = "is_inf";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::Mask {
        // NaN equals nothing: a sign that does not count is looked for as NaN.
        let negative = if self.negative { f32::NEG_INFINITY } else { f32::NAN };
        let positive = if self.positive { f32::INFINITY } else { f32::NAN };
        x.eq(simd.f32(negative)) | x.eq(simd.f32(positive))
    }

    #[inline(always)]
    fn f64(self, x: f64) -> bool {
        (self.negative && x == f64::NEG_INFINITY) || (self.positive && x == f64::INFINITY)
    }
}

compiled::predicate!(IsInf);
