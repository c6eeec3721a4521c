//! The greatest element.
//!
//! -inf for no elements, of integers their type's least value. NaN where an element is NaN, wherever it is. Of zeros of both
//! signs the order of evaluation decides.
//!
//! # Error
//! None.

use super::{Domain, ReductionFormula, Wide, compiled};
use crate::simd::{Float, Simd};

/// The greatest of all elements.
#[derive(Debug, Clone, Copy)]
pub struct Max;

impl ReductionFormula for Max {
    const NAME: &'static str = "max";

    const DOMAIN: Domain = Domain::Numbers;

    const NEUTRAL: f32 = f32::NEG_INFINITY;

    #[inline(always)]
    fn term<S: Simd>(self, _simd: S, x: S::F32, _shift: S::F32) -> S::F32 {
        x
    }

    #[inline(always)]
    fn combine<S: Simd>(self, simd: S, a: S::F32, b: S::F32) -> S::F32 {
        simd.select(a.is_nan(), a, a.max(b))
    }

    fn term_f64(self, x: f64, _shift: f64) -> f64 {
        x
    }

    fn combine_f64(self, a: f64, b: f64) -> f64 {
        if a.is_nan() || a > b { a } else { b }
    }

    fn neutral_integer<W: Wide>(self) -> W {
        W::LIMITS.0
    }

    #[inline(always)]
    fn combine_integer<W: Wide>(self, a: W, b: W) -> W {
        a.max(b)
    }
}

compiled!(Max);
