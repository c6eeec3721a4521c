//! `Abs`: `g * sign(x)`, which is 0 at 0.

use stratal_ops::Abs;

use super::unary;

unary::derivative!(Abs, input, |_, g, x| g.mul(&x.sign()?));
