//! The Euclidean norm: the root of the sum of squares.
//!
//! 0 for no elements. NaN where an element is NaN. Squares that overflow give +inf, and those that underflow are lost: an f32
//! row should keep within 1e-19 and 1e19.
//!
//! # Error
//! Half the relative error of the sum of squares, and a rounding.

use super::{Domain, ReductionFormula, compiled};
use crate::simd::{Float, Simd};

/// The root of the sum of the squares of all elements.
#[derive(Debug, Clone, Copy)]
pub struct L2Norm;

impl ReductionFormula for L2Norm {
    const NAME: &'static str = "l2";

    const DOMAIN: Domain = Domain::Floats;

    const NEUTRAL: f32 = 0.0;

    #[inline(always)]
    fn term<S: Simd>(self, _simd: S, x: S::F32, _shift: S::F32) -> S::F32 {
        x * x
    }

    #[inline(always)]
    fn combine<S: Simd>(self, _simd: S, a: S::F32, b: S::F32) -> S::F32 {
        a + b
    }

    #[inline(always)]
    fn finish<S: Simd>(self, _simd: S, total: S::F32, _count: S::F32, _shift: S::F32) -> S::F32 {
        total.sqrt()
    }

    fn term_f64(self, x: f64, _shift: f64) -> f64 {
        x * x
    }

    fn combine_f64(self, a: f64, b: f64) -> f64 {
        a + b
    }

    fn finish_f64(self, total: f64, _count: f64, _shift: f64) -> f64 {
        total.sqrt()
    }
}

compiled!(L2Norm);
