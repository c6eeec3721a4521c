//! `RandomUniformLike`: zeros, since the result depends on no more than the operand's shape.

use stratal_ops::RandomUniformLike;

use crate::rules::elementwise::unary;

unary::derivative!(RandomUniformLike, flat);
