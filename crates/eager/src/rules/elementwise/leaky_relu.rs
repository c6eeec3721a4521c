//! `LeakyRelu`: `alpha * g` where `x` is negative, else `g`.

use stratal_kernels::map::BinaryFormula;
use stratal_kernels::simd::{Float, Simd};
use stratal_ops::LeakyRelu;

use super::unary::{self, Slope};
use crate::{EagerError, Var};

unary::derivative!(LeakyRelu, slope at input, |relu| LeakySlope { alpha: relu.alpha });

#[derive(Debug, Clone, Copy)]
struct LeakySlope {
    alpha: f32,
}

impl BinaryFormula for LeakySlope {
    const NAME: &'static str = "leaky_relu_gradient";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, gradient: S::F32, x: S::F32) -> S::F32 {
        simd.select(x.lt(simd.f32(0.0)), simd.f32(self.alpha) * gradient, gradient)
    }

    fn f64(self, gradient: f64, x: f64) -> f64 {
        if x < 0.0 { f64::from(self.alpha) * gradient } else { gradient }
    }
}

impl Slope for LeakySlope {
    fn recorded(self, gradient: &Var, x: &Var) -> Result<Var, EagerError> {
        gradient.mul(&x.less(0.0)?.select_by(&x.number(self.alpha.into())?, &x.number(1.0)?)?)
    }
}
