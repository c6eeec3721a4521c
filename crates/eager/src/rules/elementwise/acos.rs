//! `Acos`: `-g / sqrt(1 - x^2)`.

use stratal_ops::Acos;

use super::one_less_square::one_less_square;
use super::unary;

unary::derivative!(Acos, input, |_, g, x| g.neg()?.div(&one_less_square(x)?.sqrt()?));
