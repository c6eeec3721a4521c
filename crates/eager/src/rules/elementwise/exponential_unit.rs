//! The slope of exponential linear units.

use stratal_kernels::map::{self, BinaryFormula, UnaryFormula};
use stratal_kernels::simd::{Float, Simd};
use stratal_ops as ops;

use super::unary::Slope;
use crate::{EagerError, Var, apply};

/// One slope from zero up, and `below * exp(x / width)` below zero.
#[derive(Debug, Clone, Copy)]
pub(super) struct ExponentialSlope {
    pub(super) above: f64,
    pub(super) below: f64,
    pub(super) width: f64,
}

impl BinaryFormula for ExponentialSlope {
    const NAME: &'static str = "exponential_unit_gradient";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, gradient: S::F32, x: S::F32) -> S::F32 {
        let [above, below, width] = [self.above, self.below, self.width].map(|number| simd.f32(number as f32));
        let slope = below * map::Exp.f32(simd, x / width);
        gradient * simd.select(x.lt(simd.f32(0.0)), slope, above)
    }

    fn f64(self, gradient: f64, x: f64) -> f64 {
        gradient * if x < 0.0 { self.below * (x / self.width).exp() } else { self.above }
    }
}

impl Slope for ExponentialSlope {
    fn recorded(self, gradient: &Var, x: &Var) -> Result<Var, EagerError> {
        // Without what is above zero the exponential is finite, and so is its share of further gradients.
        let negative = apply(&ops::Clip, &[Some(x), None, Some(&x.number(0.0)?)])?;
        let slope = negative.div(self.width)?.exp()?.mul(self.below)?;
        gradient.mul(&x.less(0.0)?.select_by(&slope, &x.number(self.above)?)?)
    }
}
