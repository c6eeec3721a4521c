//! `Shrink`: `g` where `x` is farther from zero than the threshold, else 0.

use stratal_ops::Shrink;

use super::unary;

unary::derivative!(Shrink, input, |shrink, g, x| {
    x.abs()?.less_or_equal(f64::from(shrink.threshold))?.select_by(&g.number(0.0)?, g)
});
