//! `ThresholdedRelu`: `g` where `x` is above the threshold, else 0.

use stratal_ops::ThresholdedRelu;

use super::band::Band;
use super::unary;

unary::derivative!(ThresholdedRelu, slope at input, |relu| Band::above(relu.threshold.into()));
