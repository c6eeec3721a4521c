//! `Sigmoid`: `g * y * (1 - y)`.

use stratal_kernels::map::BinaryFormula;
use stratal_kernels::simd::Simd;
use stratal_ops::Sigmoid;

use super::unary::{self, Slope};
use crate::{EagerError, Var};

unary::derivative!(Sigmoid, slope at output, |_| SigmoidSlope);

#[derive(Debug, Clone, Copy)]
struct SigmoidSlope;

impl BinaryFormula for SigmoidSlope {
    const NAME: &'static str = "sigmoid_gradient";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, gradient: S::F32, y: S::F32) -> S::F32 {
        gradient * (y * (simd.f32(1.0) - y))
    }

    fn f64(self, gradient: f64, y: f64) -> f64 {
        gradient * (y * (1.0 - y))
    }
}

impl Slope for SigmoidSlope {
    fn recorded(self, gradient: &Var, y: &Var) -> Result<Var, EagerError> {
        gradient.mul(&y.mul(&y.neg()?.add(1.0)?)?)
    }
}
