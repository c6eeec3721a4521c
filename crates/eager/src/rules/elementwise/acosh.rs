//! `Acosh`: `g / sqrt(x^2 - 1)`, by two roots, so that no square overflows.

use stratal_ops::Acosh;

use super::unary;

unary::derivative!(Acosh, input, |_, g, x| g.div(&x.sub(1.0)?.sqrt()?.mul(&x.add(1.0)?.sqrt()?)?));
