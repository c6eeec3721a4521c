//! Equality.

use super::{ComparisonFormula, compiled};
use crate::simd::{Float, Simd};

/// `a == b`.
#[derive(Debug, Clone, Copy)]
pub struct Equal;

impl ComparisonFormula for Equal {
    const NAME: &'static str = "equal";

    #[inline(always)]
    fn f32<S: Simd>(self, _simd: S, a: S::F32, b: S::F32) -> S::Mask {
        a.eq(b)
    }

    #[inline(always)]
    fn elements<T: PartialOrd>(self, a: T, b: T) -> bool {
        a == b
    }
}

compiled::comparison!(Equal);
