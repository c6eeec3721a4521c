//! `HardSwish`: `g * (x / 3 + 1 / 2)` between -3 and 3, 0 below and `g` above.

use stratal_kernels::map::BinaryFormula;
use stratal_kernels::simd::{Float, Simd};
use stratal_ops::HardSwish;

use super::unary::{self, Slope};
use crate::{EagerError, Var};

unary::derivative!(HardSwish, slope at input, |_| HardSwishSlope);

#[derive(Debug, Clone, Copy)]
struct HardSwishSlope;

impl BinaryFormula for HardSwishSlope {
    const NAME: &'static str = "hard_swish_gradient";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, gradient: S::F32, x: S::F32) -> S::F32 {
        let between = gradient * (x / simd.f32(3.0) + simd.f32(0.5));
        let not_below = simd.select(x.ge(simd.f32(3.0)), gradient, between);
        simd.select(x.le(simd.f32(-3.0)), simd.f32(0.0), not_below)
    }

    fn f64(self, gradient: f64, x: f64) -> f64 {
        if x <= -3.0 {
            0.0
        } else if x >= 3.0 {
            gradient
        } else {
            gradient * (x / 3.0 + 0.5)
        }
    }
}

impl Slope for HardSwishSlope {
    fn recorded(self, gradient: &Var, x: &Var) -> Result<Var, EagerError> {
        let not_below = x.greater_or_equal(3.0)?.select_by(&x.number(1.0)?, &x.div(3.0)?.add(0.5)?)?;
        gradient.mul(&x.less_or_equal(-3.0)?.select_by(&x.number(0.0)?, &not_below)?)
    }
}
