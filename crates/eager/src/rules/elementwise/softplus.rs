//! `Softplus`: `g * sigmoid(x)`.

use stratal_ops::Softplus;

use super::unary;

unary::derivative!(Softplus, input, |_, g, x| g.mul(&x.sigmoid()?));
