//! `EyeLike`: zeros, since the result depends on no more than the operand's shape.

use stratal_ops::EyeLike;

use crate::rules::elementwise::unary;

unary::derivative!(EyeLike, flat);
