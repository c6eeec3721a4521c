//! The logarithm of the sum of exponentials.
//!
//! Shifted by the greatest element, so that nothing overflows: `max + log(sum(exp(x - max)))`. -inf for no elements and for
//! rows of -inf; +inf where an element is; NaN where one is NaN.
//!
//! # Error
//! The relative error of the sum, whose terms have 0.9 ulp and a rounding of `x - max` each, is an absolute error of the
//! logarithm; then come 0.9 ulp of the logarithm and a rounding of the result.

use super::{Domain, ReductionFormula, compiled};
use crate::map::{Exp, Log, UnaryFormula};
use crate::simd::Simd;

/// The natural logarithm of the sum of `e^x` over all elements.
#[derive(Debug, Clone, Copy)]
pub struct LogSumExp;

impl ReductionFormula for LogSumExp {
    const NAME: &'static str = "log_sum_exp";

    const DOMAIN: Domain = Domain::Floats;

    const IS_SHIFTED: bool = true;

    const NEUTRAL: f32 = 0.0;

    #[inline(always)]
    fn term<S: Simd>(self, simd: S, x: S::F32, shift: S::F32) -> S::F32 {
        Exp.f32(simd, x - shift)
    }

    #[inline(always)]
    fn combine<S: Simd>(self, _simd: S, a: S::F32, b: S::F32) -> S::F32 {
        a + b
    }

    #[inline(always)]
    fn finish<S: Simd>(self, simd: S, total: S::F32, _count: S::F32, shift: S::F32) -> S::F32 {
        shift + Log.f32(simd, total)
    }

    fn term_f64(self, x: f64, shift: f64) -> f64 {
        Exp.f64(x - shift)
    }

    fn combine_f64(self, a: f64, b: f64) -> f64 {
        a + b
    }

    fn finish_f64(self, total: f64, _count: f64, shift: f64) -> f64 {
        shift + Log.f64(total)
    }
}

compiled!(LogSumExp);
