//! `Sin`: `g * cos(x)`.

use stratal_ops::Sin;

use super::unary;

unary::derivative!(Sin, input, |_, g, x| g.mul(&x.cos()?));
