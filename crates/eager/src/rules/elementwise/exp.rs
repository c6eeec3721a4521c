//! `Exp`: `g * y`.

use stratal_ops::Exp;

use super::unary;

unary::derivative!(Exp, output, |_, g, y| g.mul(y));
