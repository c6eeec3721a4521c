//! Whether any element is true: false for no elements.

use super::{Domain, ReductionFormula, Wide, compiled};
use crate::simd::{Float, Simd};

/// Whether any element is true: false for no elements.
#[derive(Debug, Clone, Copy)]
pub struct Any;

impl ReductionFormula for Any {
    const NAME: &'static str = "any";

    const DOMAIN: Domain = Domain::Truths;

    const NEUTRAL: f32 = 0.0;

    #[inline(always)]
    fn term<S: Simd>(self, _simd: S, x: S::F32, _shift: S::F32) -> S::F32 {
        x
    }

    #[inline(always)]
    fn combine<S: Simd>(self, _simd: S, a: S::F32, b: S::F32) -> S::F32 {
        a.max(b)
    }

    fn term_f64(self, x: f64, _shift: f64) -> f64 {
        x
    }

    fn combine_f64(self, a: f64, b: f64) -> f64 {
        a.max(b)
    }

    fn neutral_integer<W: Wide>(self) -> W {
        W::of(0)
    }

    #[inline(always)]
    fn combine_integer<W: Wide>(self, a: W, b: W) -> W {
        a.max(b)
    }
}

compiled!(Any);
