//! The sum of magnitudes.
//!
//! 0 for no elements; integers wrap, as do their magnitudes. NaN where an element is NaN.
//!
//! # Error
//! As of a sum.

use super::{Domain, ReductionFormula, Wide, compiled};
use crate::simd::{Float, Simd};

/// The sum of the magnitudes of all elements.
#[derive(Debug, Clone, Copy)]
pub struct L1Norm;

impl ReductionFormula for L1Norm {
    const NAME: &'static str = "l1";

    const DOMAIN: Domain = Domain::Numbers;

    const NEUTRAL: f32 = 0.0;

    #[inline(always)]
    fn term<S: Simd>(self, _simd: S, x: S::F32, _shift: S::F32) -> S::F32 {
        x.abs()
    }

    #[inline(always)]
    fn combine<S: Simd>(self, _simd: S, a: S::F32, b: S::F32) -> S::F32 {
        a + b
    }

    fn term_f64(self, x: f64, _shift: f64) -> f64 {
        x.abs()
    }

    fn combine_f64(self, a: f64, b: f64) -> f64 {
        a + b
    }

    #[inline(always)]
    fn term_integer<W: Wide>(self, x: W) -> W {
        x.abs()
    }

    #[inline(always)]
    fn combine_integer<W: Wide>(self, a: W, b: W) -> W {
        a.add(b)
    }
}

compiled!(L1Norm);
