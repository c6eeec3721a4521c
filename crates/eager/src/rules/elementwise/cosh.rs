//! `Cosh`: `g * sinh(x)`.

use stratal_ops::Cosh;

use super::unary;

unary::derivative!(Cosh, input, |_, g, x| g.mul(&x.sinh()?));
