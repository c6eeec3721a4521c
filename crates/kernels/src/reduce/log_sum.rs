//! The logarithm of the sum.
//!
//! -inf for no elements, NaN for a sum below zero.
//!
//! # Error
//! That of the sum goes through the logarithm; 0.9 ulp for itself.

use super::{Domain, ReductionFormula, compiled};
use crate::map::{Log, UnaryFormula};
use crate::simd::Simd;

/// The natural logarithm of the sum of all elements.
#[derive(Debug, Clone, Copy)]
pub struct LogSum;

impl ReductionFormula for LogSum {
    const NAME: &'static str = "log_sum";

    const DOMAIN: Domain = Domain::Floats;

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
    fn finish<S: Simd>(self, simd: S, total: S::F32, _count: S::F32, _shift: S::F32) -> S::F32 {
        Log.f32(simd, total)
    }

    fn term_f64(self, x: f64, _shift: f64) -> f64 {
        x
    }

    fn combine_f64(self, a: f64, b: f64) -> f64 {
        a + b
    }

    fn finish_f64(self, total: f64, _count: f64, _shift: f64) -> f64 {
        Log.f64(total)
    }
}

compiled!(LogSum);
