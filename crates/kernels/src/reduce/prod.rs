//! The product.
//!
//! 1 for no elements; integers wrap. NaN where an element is NaN, or zero meets infinity.
//!
//! # Error
//! A rounding for each element.

use super::{Domain, ReductionFormula, Wide, compiled};
use crate::simd::Simd;

/// The product of all elements.
#[derive(Debug, Clone, Copy)]
pub struct Prod;

impl ReductionFormula for Prod {
    const NAME: &'static str = "prod";

    const DOMAIN: Domain = Domain::Numbers;

    const NEUTRAL: f32 = 1.0;

    #[inline(always)]
    fn term<S: Simd>(self, _simd: S, x: S::F32, _shift: S::F32) -> S::F32 {
        x
    }

    #[inline(always)]
    fn combine<S: Simd>(self, _simd: S, a: S::F32, b: S::F32) -> S::F32 {
        a * b
    }

    fn term_f64(self, x: f64, _shift: f64) -> f64 {
        x
    }

    fn combine_f64(self, a: f64, b: f64) -> f64 {
        a * b
    }

    fn neutral_integer<W: Wide>(self) -> W {
        W::of(1)
    }

    #[inline(always)]
    fn combine_integer<W: Wide>(self, a: W, b: W) -> W {
        a.mul(b)
    }
}

compiled!(Prod);
