//! `Softsign`: `g / (1 + |x|)^2`. The square is that of the reciprocal, which does not overflow.

use stratal_ops::Softsign;

use super::unary;

unary::derivative!(Softsign, input, |_, g, x| g.mul(&x.abs()?.add(1.0)?.reciprocal()?.square()?));
