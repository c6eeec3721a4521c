//! Values cut at a lower and an upper limit.
//!
//! Exact. NaN stays NaN; where the limits cross, the upper one wins; a value equal to a limit stays, so zeros keep their
//! sign. For floats a limit is rounded to the nearest number. For integers one with a fraction goes to the next integer
//! within it, the lower limit up and the upper one down, and one beyond the type to the type's end.

use stratal_tensor_base::Scalar;

use super::{UnaryFormula, compiled};
use crate::Integer;
use crate::simd::{Float, Simd};

/// `x`, at least the lower and at most the upper limit.
#[derive(Debug, Clone, Copy)]
pub struct Clip {
    f32: [f32; 2],
    f64: [f64; 2],
    integer: [i128; 2],
}

impl Clip {
    /// The limits; a missing one, and NaN, cuts nothing.
    pub fn new(lower: Option<Scalar>, upper: Option<Scalar>) -> Self {
        let cuts = |limit: &Scalar| !limit.cast::<f64>().is_nan();
        let (lower, upper) = (lower.filter(cuts), upper.filter(cuts));
        Self {
            f32: [lower.map_or(f32::NEG_INFINITY, Scalar::cast), upper.map_or(f32::INFINITY, Scalar::cast)],
            f64: [lower.map_or(f64::NEG_INFINITY, Scalar::cast), upper.map_or(f64::INFINITY, Scalar::cast)],
            integer: [lower.map_or(i128::MIN, up_to_integer), upper.map_or(i128::MAX, down_to_integer)],
        }
    }
}

impl UnaryFormula for Clip {
    const NAME: &'static str = "clip";

    const HAS_INTEGERS: bool = true;

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
        let [lower, upper] = self.f32;
        // In this order NaN passes both.
        simd.f32(upper).min(simd.f32(lower).max(x))
    }

    #[inline(always)]
    fn f64(self, x: f64) -> f64 {
        let [lower, upper] = self.f64;
        let cut = if lower > x { lower } else { x };
        if upper < cut { upper } else { cut }
    }

    #[inline(always)]
    fn integer<T: Integer>(self, x: T) -> T {
        let [lower, upper] = self.integer;
        x.max(T::nearest(lower)).min(T::nearest(upper))
    }
}

compiled::unary!(Clip);

/// The least integer at or above a limit.
fn up_to_integer(limit: Scalar) -> i128 {
    exact(limit).unwrap_or_else(|| limit.cast::<f64>().ceil() as i128)
}

/// The largest integer at or below a limit.
fn down_to_integer(limit: Scalar) -> i128 {
    exact(limit).unwrap_or_else(|| limit.cast::<f64>().floor() as i128)
}

fn exact(limit: Scalar) -> Option<i128> {
    match limit {
        Scalar::U64(limit) => Some(limit.into()),
        _ if limit.dtype().is_float() => None,
        _ => Some(limit.cast::<i64>().into()),
    }
}
