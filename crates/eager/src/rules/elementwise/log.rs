//! `Log`: `g / x`.

use stratal_ops::Log;

use super::unary;

unary::derivative!(Log, input, |_, g, x| g.div(x));
