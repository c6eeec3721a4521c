//! `Ceil`: zeros, since the result is constant between integers.

use stratal_ops::Ceil;

use super::unary;

unary::derivative!(Ceil, flat);
