//! `Sign`: zeros, since the result is constant but for a step at 0.

use stratal_ops::Sign;

use super::unary;

unary::derivative!(Sign, flat);
