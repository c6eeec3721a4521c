//! `RandomNormalLike`: zeros, since the result depends on no more than the operand's shape.

use stratal_ops::RandomNormalLike;

use crate::rules::elementwise::unary;

unary::derivative!(RandomNormalLike, flat);
