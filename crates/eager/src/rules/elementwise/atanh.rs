//! `Atanh`: `g / (1 - x^2)`.

use stratal_ops::Atanh;

use super::one_less_square::one_less_square;
use super::unary;

unary::derivative!(Atanh, input, |_, g, x| g.div(&one_less_square(x)?));
