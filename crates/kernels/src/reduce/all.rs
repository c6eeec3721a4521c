//! Whether all elements are true: so for no elements.

use super::{Domain, ReductionFormula, Wide, compiled};
use crate::simd::{Float, Simd};

/// Whether all elements are true: so for no elements.
#[derive(Debug, Clone, Copy)]
pub struct All;

impl ReductionFormula for All {
    const NAME: &'static str = "all";

    const DOMAIN: Domain = Domain::Truths;

    const NEUTRAL: f32 = 1.0;

    #[inline(always)]
    fn term<S: Simd>(self, _simd: S, x: S::F32, _shift: S::F32) -> S::F32 {
        x
    }

    #[inline(always)]
    fn combine<S: Simd>(self, _simd: S, a: S::F32, b: S::F32) -> S::F32 {
        a.min(b)
    }

    fn term_f64(self, x: f64, _shift: f64) -> f64 {
        x
    }

    fn combine_f64(self, a: f64, b: f64) -> f64 {
        a.min(b)
    }

    fn neutral_integer<W: Wide>(self) -> W {
        W::of(1)
    }

    #[inline(always)]
    fn combine_integer<W: Wide>(self, a: W, b: W) -> W {
        a.min(b)
    }
}

compiled!(All);
