//! `Cos`: `-g * sin(x)`.

use stratal_ops::Cos;

use super::unary;

unary::derivative!(Cos, input, |_, g, x| g.neg()?.mul(&x.sin()?));
