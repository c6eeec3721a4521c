//! Inequality: true where either operand is NaN.

use super::{ComparisonFormula, compiled};
use crate::simd::{Float, Simd};

/// `a != b`.
#[derive(Debug, Clone, Copy)]
pub struct NotEqual;

impl ComparisonFormula for NotEqual {
    const NAME: &'static str = "not_equal";

    #[inline(always)]
    fn f32<S: Simd>(self, _simd: S, a: S::F32, b: S::F32) -> S::Mask {
        !a.eq(b)
    }

    #[inline(always)]
    fn elements<T: PartialOrd>(self, a: T, b: T) -> bool {
        a != b
    }
}

compiled::comparison!(NotEqual);
