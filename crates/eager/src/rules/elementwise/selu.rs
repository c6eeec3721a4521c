//! `Selu`: `gamma * g`, times `alpha * exp(x)` where `x` is negative.

use stratal_ops::Selu;

use super::exponential_unit::ExponentialSlope;
use super::unary;

unary::derivative!(Selu, slope at input, |selu| {
    let (alpha, gamma) = (f64::from(selu.alpha), f64::from(selu.gamma));
    ExponentialSlope { above: gamma, below: gamma * alpha, width: 1.0 }
});
