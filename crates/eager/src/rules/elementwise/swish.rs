//! `Swish`: `g * s * (1 + z * (1 - s))` with `z = alpha * x` and `s = sigmoid(z)`.

use stratal_kernels::map::{self, BinaryFormula, UnaryFormula};
use stratal_kernels::simd::{Float, Simd};
use stratal_ops::Swish;

use super::unary::{self, Slope};
use crate::{EagerError, Var};

unary::derivative!(Swish, slope at input, |swish| SwishSlope { alpha: swish.alpha });

/// Where the logistic function is 0 or 1, in f64 too. Farther from zero infinity would be multiplied by zero.
pub(super) const FAR: f64 = 800.0;

#[derive(Debug, Clone, Copy)]
pub(super) struct SwishSlope {
    pub(super) alpha: f32,
}

impl BinaryFormula for SwishSlope {
    const NAME: &'static str = "swish_gradient";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, gradient: S::F32, x: S::F32) -> S::F32 {
        let z = unary::clamp(simd, x * simd.f32(self.alpha), FAR);
        let share = map::Sigmoid.f32(simd, z);
        let one = simd.f32(1.0);
        gradient * (share * z.mul_add(one - share, one))
    }

    fn f64(self, gradient: f64, x: f64) -> f64 {
        let z = (x * f64::from(self.alpha)).clamp(-FAR, FAR);
        let share = map::Sigmoid.f64(z);
        gradient * (share * z.mul_add(1.0 - share, 1.0))
    }
}

impl Slope for SwishSlope {
    fn recorded(self, gradient: &Var, x: &Var) -> Result<Var, EagerError> {
        let z = x.mul(f64::from(self.alpha))?.clip(-FAR, FAR)?;
        let share = z.sigmoid()?;
        gradient.mul(&share.mul(&share.neg()?.add(1.0)?.mul(&z)?.add(1.0)?)?)
    }
}
