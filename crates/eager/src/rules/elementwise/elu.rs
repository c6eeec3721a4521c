//! `Elu`: `g`, times `alpha * exp(x)` where `x` is negative.

use stratal_ops::Elu;

use super::exponential_unit::ExponentialSlope;
use super::unary;

unary::derivative!(Elu, slope at input, |elu| ExponentialSlope { above: 1.0, below: elu.alpha.into(), width: 1.0 });
