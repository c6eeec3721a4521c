//! `Sinh`: `g * cosh(x)`.

use stratal_ops::Sinh;

use super::unary;

unary::derivative!(Sinh, input, |_, g, x| g.mul(&x.cosh()?));
