//! `Erf`: `g * 2 / sqrt(pi) * exp(-x^2)`.

use std::f64::consts::FRAC_2_SQRT_PI;

use stratal_ops::Erf;

use super::unary;

unary::derivative!(Erf, input, |_, g, x| g.mul(&x.square()?.neg()?.exp()?.mul(FRAC_2_SQRT_PI)?));
