//! `Reciprocal`: `-g * y^2`.

use stratal_ops::Reciprocal;

use super::unary;

unary::derivative!(Reciprocal, output, |_, g, y| g.neg()?.mul(&y.square()?));
