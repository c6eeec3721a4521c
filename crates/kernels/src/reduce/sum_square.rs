//! The sum of squares.
//!
//! 0 for no elements; integers wrap. NaN where an element is NaN.
//!
//! # Error
//! As of a sum of as many terms, and a rounding for each square.

use super::{Domain, ReductionFormula, Wide, compiled};
use crate::simd::Simd;

/// The sum of the squares of all elements.
#[derive(Debug, Clone, Copy)]
pub struct SumSquare;

impl ReductionFormula for SumSquare {
    const NAME: &'static str = "sum_square";

    const DOMAIN: Domain = Domain::Numbers;

    const NEUTRAL: f32 = 0.0;

    #[inline(always)]
    fn term<S: Simd>(self, _simd: S, x: S::F32, _shift: S::F32) -> S::F32 {
        x * x
    }

    #[inline(always)]
    fn combine<S: Simd>(self, _simd: S, a: S::F32, b: S::F32) -> S::F32 {
        a + b
    }

    fn term_f64(self, x: f64, _shift: f64) -> f64 {
        x * x
    }

    fn combine_f64(self, a: f64, b: f64) -> f64 {
        a + b
    }

    #[inline(always)]
    fn term_integer<W: Wide>(self, x: W) -> W {
        x.mul(x)
    }

    #[inline(always)]
    fn combine_integer<W: Wide>(self, a: W, b: W) -> W {
        a.add(b)
    }
}

compiled!(SumSquare);
