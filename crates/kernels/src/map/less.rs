//! Less than.

use super::{ComparisonFormula, compiled};
use crate::simd::{Float, Simd};

/// `a < b`.
#[derive(Debug, Clone, Copy)]
pub struct Less;

impl ComparisonFormula for Less {
    const NAME: &'static str = "less";

    #[inline(always)]
    fn f32<S: Simd>(self, _simd: S, a: S::F32, b: S::F32) -> S::Mask {
        a.lt(b)
    }

    #[inline(always)]
    fn elements<T: PartialOrd>(self, a: T, b: T) -> bool {
        a < b
    }
}

compiled::comparison!(Less);
