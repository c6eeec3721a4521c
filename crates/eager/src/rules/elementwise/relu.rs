//! `Relu`: `g` where `y` is positive, else 0.

use stratal_ops::Relu;

use super::band::Band;
use super::unary;

unary::derivative!(Relu, slope at output, |_| Band::above(0.0));
