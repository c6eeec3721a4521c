//! The slope of functions that are flat outside of a band.

use stratal_kernels::map::BinaryFormula;
use stratal_kernels::simd::{Float, Simd};

use super::unary::Slope;
use crate::{EagerError, Var};

/// Slope 1 within two limits, and 0 beyond them. What is NaN is beyond no limit, and a limit that is NaN is none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Band {
    pub(super) low: f64,
    pub(super) high: f64,
    /// Whether the limits are within the band.
    pub(super) is_closed: bool,
}

impl Band {
    /// All that is greater than a limit.
    pub(super) fn above(low: f64) -> Self {
        Self { low, high: f64::NAN, is_closed: false }
    }
}

impl BinaryFormula for Band {
    const NAME: &'static str = "band_gradient";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, gradient: S::F32, at: S::F32) -> S::F32 {
        let (low, high) = (simd.f32(self.low as f32), simd.f32(self.high as f32));
        let is_flat = if self.is_closed { at.lt(low) | at.gt(high) } else { at.le(low) | at.ge(high) };
        simd.select(is_flat, simd.f32(0.0), gradient)
    }

    fn f64(self, gradient: f64, at: f64) -> f64 {
        let Self { low, high, is_closed } = self;
        let is_flat = if is_closed { at < low || at > high } else { at <= low || at >= high };
        if is_flat { 0.0 } else { gradient }
    }
}

impl Slope for Band {
    fn recorded(self, gradient: &Var, at: &Var) -> Result<Var, EagerError> {
        let zero = gradient.number(0.0)?;
        let mut gradient = gradient.clone();
        if !self.low.is_nan() {
            let is_flat = if self.is_closed { at.less(self.low)? } else { at.less_or_equal(self.low)? };
            gradient = is_flat.select_by(&zero, &gradient)?;
        }
        if !self.high.is_nan() {
            let is_flat = if self.is_closed { at.greater(self.high)? } else { at.greater_or_equal(self.high)? };
            gradient = is_flat.select_by(&zero, &gradient)?;
        }
        Ok(gradient)
    }
}
