//! `Asinh`: `g / sqrt(x^2 + 1)`, which is `g / cosh(y)`: no square overflows.

use stratal_ops::Asinh;

use super::unary;

unary::derivative!(Asinh, output, |_, g, y| g.div(&y.cosh()?));
