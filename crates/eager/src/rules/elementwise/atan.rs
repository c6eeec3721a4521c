//! `Atan`: `g / (1 + x^2)`.

use stratal_ops::Atan;

use super::unary;

unary::derivative!(Atan, input, |_, g, x| g.div(&x.square()?.add(1.0)?));
