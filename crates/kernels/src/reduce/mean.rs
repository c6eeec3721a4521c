//! The arithmetic mean.
//!
//! The sum divided by the count, so NaN for no elements. An integer mean is that of the exact sum, toward zero; of no integers
//! it is an error.
//!
//! # Error
//! That of the sum, and one rounding; a count above 2^24 is rounded to f32 first.

use super::{Domain, ReductionFormula, Wide, compiled};
use crate::simd::Simd;

/// The arithmetic mean of all elements.
#[derive(Debug, Clone, Copy)]
pub struct Mean;

impl ReductionFormula for Mean {
    const NAME: &'static str = "mean";

    const DOMAIN: Domain = Domain::Numbers;

    const NEEDS_INTEGERS: bool = true;

    const NEUTRAL: f32 = 0.0;

    #[inline(always)]
    fn term<S: Simd>(self, _simd: S, x: S::F32, _shift: S::F32) -> S::F32 {
        x
    }

    #[inline(always)]
    fn combine<S: Simd>(self, _simd: S, a: S::F32, b: S::F32) -> S::F32 {
        a + b
    }

    #[inline(always)]
    fn finish<S: Simd>(self, _simd: S, total: S::F32, count: S::F32, _shift: S::F32) -> S::F32 {
        total / count
    }

    fn term_f64(self, x: f64, _shift: f64) -> f64 {
        x
    }

    fn combine_f64(self, a: f64, b: f64) -> f64 {
        a + b
    }

    fn finish_f64(self, total: f64, count: f64, _shift: f64) -> f64 {
        total / count
    }

    #[inline(always)]
    fn combine_integer<W: Wide>(self, a: W, b: W) -> W {
        a.add(b)
    }

    fn finish_integer<W: Wide>(self, total: W, count: usize) -> W {
        total.div(count)
    }
}

compiled!(Mean);
