//! `Tan`: `g * (1 + y^2)`.

use stratal_ops::Tan;

use super::unary;

unary::derivative!(Tan, output, |_, g, y| g.mul(&y.square()?.add(1.0)?));
