//! `Asin`: `g / sqrt(1 - x^2)`.

use stratal_ops::Asin;

use super::one_less_square::one_less_square;
use super::unary;

unary::derivative!(Asin, input, |_, g, x| g.div(&one_less_square(x)?.sqrt()?));
