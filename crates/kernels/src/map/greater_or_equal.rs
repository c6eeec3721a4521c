//! Greater than or equal.

use super::{ComparisonFormula, compiled};
use crate::simd::{Float, Simd};

/// `a >= b`.
#[derive(Debug, Clone, Copy)]
pub struct GreaterOrEqual;

impl ComparisonFormula for GreaterOrEqual {
    const NAME: &'static str = "greater_or_equal";

    #[inline(always)]
    fn f32<S: Simd>(self, _simd: S, a: S::F32, b: S::F32) -> S::Mask {
        a.ge(b)
    }

    #[inline(always)]
    fn elements<T: PartialOrd>(self, a: T, b: T) -> bool {
        a >= b
    }
}

compiled::comparison!(GreaterOrEqual);
