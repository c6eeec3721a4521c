//! `Round`: zeros, since the result is constant between halves.

use stratal_ops::Round;

use super::unary;

unary::derivative!(Round, flat);
