//! The sum.
//!
//! 0 for no elements; integers wrap. NaN where an element is NaN, or infinities of both signs meet.
//!
//! # Error
//! At most `k / (1 - k)` of the sum of magnitudes, where `k` is 2^-24 for each of at most 22 + log2(blocks) additions that an
//! element goes through, a block being 1024 elements.

use super::{Domain, ReductionFormula, Wide, compiled};
use crate::simd::Simd;

/// The sum of all elements.
#[derive(Debug, Clone, Copy)]
pub struct Sum;

impl ReductionFormula for Sum {
    const NAME: &'static str = "sum";

    const DOMAIN: Domain = Domain::Numbers;

    const NEUTRAL: f32 = 0.0;

    #[inline(always)]
    fn term<S: Simd>(self, _simd: S, x: S::F32, _shift: S::F32) -> S::F32 {
        x
    }

    #[inline(always)]
    fn combine<S: Simd>(self, _simd: S, a: S::F32, b: S::F32) -> S::F32 {
        a + b
    }

    fn term_f64(self, x: f64, _shift: f64) -> f64 {
        x
    }

    fn combine_f64(self, a: f64, b: f64) -> f64 {
        a + b
    }

    #[inline(always)]
    fn combine_integer<W: Wide>(self, a: W, b: W) -> W {
        a.add(b)
    }
}

compiled!(Sum);
