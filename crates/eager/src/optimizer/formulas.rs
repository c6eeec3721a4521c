//! The formulas of steps, element by element.

use stratal_kernels::map::BinaryFormula;
use stratal_kernels::simd::{Float, Simd};

/// `of_a * a + of_b * b`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Combination {
    pub(super) of_a: f64,
    pub(super) of_b: f64,
}

impl BinaryFormula for Combination {
    const NAME: &'static str = "combination";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, a: S::F32, b: S::F32) -> S::F32 {
        a * simd.f32(self.of_a as f32) + b * simd.f32(self.of_b as f32)
    }

    fn f64(self, a: f64, b: f64) -> f64 {
        a * self.of_a + b * self.of_b
    }
}

/// `kept * a + (1 - kept) * b^2`: the next average of squares.
#[derive(Debug, Clone, Copy)]
pub(super) struct AverageSquare {
    pub(super) kept: f64,
}

impl BinaryFormula for AverageSquare {
    const NAME: &'static str = "average_square";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, a: S::F32, b: S::F32) -> S::F32 {
        a * simd.f32(self.kept as f32) + b * b * simd.f32((1.0 - self.kept) as f32)
    }

    fn f64(self, a: f64, b: f64) -> f64 {
        a * self.kept + b * b * (1.0 - self.kept)
    }
}

/// `a * of_a / (sqrt(b * of_b) + epsilon)`: the direction of a step of Adam.
#[derive(Debug, Clone, Copy)]
pub(super) struct Direction {
    pub(super) of_a: f64,
    pub(super) of_b: f64,
    pub(super) epsilon: f64,
}

impl BinaryFormula for Direction {
    const NAME: &'static str = "direction";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, a: S::F32, b: S::F32) -> S::F32 {
        let root = (b * simd.f32(self.of_b as f32)).sqrt();
        a * simd.f32(self.of_a as f32) / (root + simd.f32(self.epsilon as f32))
    }

    fn f64(self, a: f64, b: f64) -> f64 {
        a * self.of_a / ((b * self.of_b).sqrt() + self.epsilon)
    }
}
