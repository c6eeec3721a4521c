//! `Celu`: `g`, times `exp(x / alpha)` where `x` is negative.

use stratal_ops::Celu;

use super::exponential_unit::ExponentialSlope;
use super::unary;

unary::derivative!(Celu, slope at input, |celu| ExponentialSlope { above: 1.0, below: 1.0, width: celu.alpha.into() });
