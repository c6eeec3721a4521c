//! `Tanh`: `g * (1 - y^2)`.

use stratal_kernels::map::BinaryFormula;
use stratal_kernels::simd::Simd;
use stratal_ops::Tanh;

use super::one_less_square::one_less_square;
use super::unary::{self, Slope};
use crate::{EagerError, Var};

unary::derivative!(Tanh, slope at output, |_| TanhSlope);

#[derive(Debug, Clone, Copy)]
struct TanhSlope;

impl BinaryFormula for TanhSlope {
    const NAME: &'static str = "tanh_gradient";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, gradient: S::F32, y: S::F32) -> S::F32 {
        gradient * ((simd.f32(1.0) - y) * (simd.f32(1.0) + y))
    }

    fn f64(self, gradient: f64, y: f64) -> f64 {
        gradient * ((1.0 - y) * (1.0 + y))
    }
}

impl Slope for TanhSlope {
    fn recorded(self, gradient: &Var, y: &Var) -> Result<Var, EagerError> {
        gradient.mul(&one_less_square(y)?)
    }
}
