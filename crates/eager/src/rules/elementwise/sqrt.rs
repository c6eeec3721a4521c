//! `Sqrt`: `g / (2 * y)`.

use stratal_ops::Sqrt;

use super::unary;

unary::derivative!(Sqrt, output, |_, g, y| g.div(&y.mul(2.0)?));
