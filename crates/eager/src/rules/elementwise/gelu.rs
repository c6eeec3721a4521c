//! `Gelu`: `g * (Φ(x) + x * φ(x))`, with the distribution and the density of a standard normal variable; approximated by the
//! hyperbolic tangent, `g * (s + x * u' * 2 * s * (1 - s))` with `s = sigmoid(2 * u)` and `u = sqrt(2 / pi) * (x + 0.044715 * x^3)`.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

use stratal_kernels::map::{self, BinaryFormula, UnaryFormula};
use stratal_kernels::simd::{Float, Simd};
use stratal_ops::{Gelu, GeluApproximation};

use super::unary::{Slope, by_slope, clamp};
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::{EagerError, Var};

impl Derivative for Gelu {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::input(0)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let x = call.input(0)?;
        let gradient = match self.approximation {
            GeluApproximation::None => by_slope(GeluSlope, call, &x),
            GeluApproximation::Tanh => by_slope(GeluTanhSlope, call, &x),
        };
        Ok(gradient?.into())
    }
}

/// Where both slopes are 0 or 1, in f64 too, and no step overflows f16. Farther from zero infinity would be multiplied by zero.
const FAR: f64 = 40.0;

/// That of x·Φ(x). Φ is the function itself over x, which has all digits far below zero, where 1 and the error function
/// cancel.
#[derive(Debug, Clone, Copy)]
pub(super) struct GeluSlope;

/// 1 / sqrt(2 * pi).
const DENSITY_AT_ZERO: f64 = 0.5 * FRAC_1_SQRT_2 * FRAC_2_SQRT_PI;

impl BinaryFormula for GeluSlope {
    const NAME: &'static str = "gelu_gradient";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, gradient: S::F32, x: S::F32) -> S::F32 {
        let x = clamp(simd, x, FAR);
        let share = simd.select(x.eq(simd.f32(0.0)), simd.f32(0.5), map::Gelu.f32(simd, x) / x);
        let density = simd.f32(DENSITY_AT_ZERO as f32) * map::Exp.f32(simd, x * x * simd.f32(-0.5));
        gradient * x.mul_add(density, share)
    }

    fn f64(self, gradient: f64, x: f64) -> f64 {
        let x = x.clamp(-FAR, FAR);
        let share = if x == 0.0 { 0.5 } else { map::Gelu.f64(x) / x };
        gradient * x.mul_add(DENSITY_AT_ZERO * (-0.5 * x * x).exp(), share)
    }
}

impl Slope for GeluSlope {
    fn recorded(self, gradient: &Var, x: &Var) -> Result<Var, EagerError> {
        let x = x.clip(-FAR, FAR)?;
        let share = x.mul(FRAC_1_SQRT_2)?.erf()?.add(1.0)?.mul(0.5)?;
        let density = x.square()?.mul(-0.5)?.exp()?.mul(DENSITY_AT_ZERO)?;
        gradient.mul(&share.add(&x.mul(&density)?)?)
    }
}

/// That of the approximation, of which `1 + tanh(u)` is twice a logistic function without cancellation.
#[derive(Debug, Clone, Copy)]
pub(super) struct GeluTanhSlope;

/// Twice the inner factor, `2 * sqrt(2 / pi)`: the logistic function's operand is `TWICE * (x + CUBIC * x^3)`.
const TWICE: f64 = 2.0 * FRAC_1_SQRT_2 * FRAC_2_SQRT_PI;
const CUBIC: f64 = 0.044_715;

impl BinaryFormula for GeluTanhSlope {
    const NAME: &'static str = "gelu_tanh_gradient";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, gradient: S::F32, x: S::F32) -> S::F32 {
        let (one, twice, cubic) = (simd.f32(1.0), simd.f32(TWICE as f32), simd.f32(CUBIC as f32));
        let x = clamp(simd, x, FAR);
        let square = x * x;
        let share = map::Sigmoid.f32(simd, twice * x * cubic.mul_add(square, one));
        let inner = twice * (simd.f32(3.0) * cubic).mul_add(square, one);
        gradient * (share * (x * inner).mul_add(one - share, one))
    }

    fn f64(self, gradient: f64, x: f64) -> f64 {
        let x = x.clamp(-FAR, FAR);
        let square = x * x;
        let share = map::Sigmoid.f64(TWICE * x * CUBIC.mul_add(square, 1.0));
        let inner = TWICE * (3.0 * CUBIC).mul_add(square, 1.0);
        gradient * (share * (x * inner).mul_add(1.0 - share, 1.0))
    }
}

impl Slope for GeluTanhSlope {
    fn recorded(self, gradient: &Var, x: &Var) -> Result<Var, EagerError> {
        let x = x.clip(-FAR, FAR)?;
        let square = x.square()?;
        let share = square.mul(CUBIC)?.add(1.0)?.mul(&x)?.mul(TWICE)?.sigmoid()?;
        let inner = square.mul(3.0 * CUBIC)?.add(1.0)?.mul(TWICE)?;
        let steep = share.neg()?.add(1.0)?.mul(&x.mul(&inner)?)?.add(1.0)?;
        gradient.mul(&share.mul(&steep)?)
    }
}
