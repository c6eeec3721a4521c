//! Whether a float is NaN.

use super::{PredicateFormula, compiled};
use crate::simd::{Float, Simd};

/// Whether `x` is NaN.
#[derive(Debug, Clone, Copy)]
pub struct IsNan;

impl PredicateFormula for IsNan {
    const NAME: &'static str = "is_nan";

    #[inline(always)]
    fn f32<S: Simd>(self, _simd: S, x: S::F32) -> S::Mask {
        x.is_nan()
    }

    #[inline(always)]
    fn f64(self, x: f64) -> bool {
        x.is_nan()
    }
}

compiled::predicate!(IsNan);
