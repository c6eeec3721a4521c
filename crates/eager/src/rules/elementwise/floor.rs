//! `Floor`: zeros, since the result is constant between integers.

use stratal_ops::Floor;

use super::unary;

unary::derivative!(Floor, flat);
