//! Less than or equal.

use super::{ComparisonFormula, compiled};
use crate::simd::{Float, Simd};

/// `a <= b`.
#[derive(Debug, Clone, Copy)]
pub struct LessOrEqual;

impl ComparisonFormula for LessOrEqual {
    const NAME: &'static str = "less_or_equal";

    #[inline(always)]
    fn f32<S: Simd>(self, _simd: S, a: S::F32, b: S::F32) -> S::Mask {
        a.le(b)
    }

    #[inline(always)]
    fn elements<T: PartialOrd>(self, a: T, b: T) -> bool {
        a <= b
    }
}

compiled::comparison!(LessOrEqual);
