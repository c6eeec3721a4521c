//! `Mish`: `g * (t + x * (1 - t^2) * sigmoid(x))` with `t = tanh(softplus(x))`.

use stratal_ops::Mish;

use super::one_less_square::one_less_square;
use super::swish::FAR;
use super::unary;

unary::derivative!(Mish, input, |_, g, x| {
    let x = x.clip(-FAR, FAR)?;
    let t = x.softplus()?.tanh()?;
    g.mul(&one_less_square(&t)?.mul(&x.sigmoid()?)?.mul(&x)?.add(&t)?)
});
