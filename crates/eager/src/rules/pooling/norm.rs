//! What norms of windows and of whole images have in common: `sign(x) * |x|^(p - 1)`, through the norm to the same power.

use crate::{EagerError, Var};

/// `sign(x) * |x|^(p - 1)`: the derivative of `|x|^p / p`, zero at zero.
pub(super) fn odd_power(x: &Var, p: i64) -> Result<Var, EagerError> {
    let power = power(x, p - 1)?;
    // Signs are constants wherever they have a derivative.
    let sign = || x.detach().sign();
    match power {
        None => sign(),
        Some(power) if p % 2 == 0 => Ok(power),
        Some(power) => power.mul(&sign()?),
    }
}

/// A gradient through the norm to the power of `p - 1`. Where the norm is zero, all that it is multiplied by is zero too.
pub(super) fn through_norm(gradient: &Var, norm: &Var, p: i64) -> Result<Var, EagerError> {
    match power(&without_zeros(norm)?, p - 1)? {
        None => Ok(gradient.clone()),
        Some(power) => gradient.div(&power),
    }
}

/// The norm, with ones in place of zeros.
pub(super) fn without_zeros(norm: &Var) -> Result<Var, EagerError> {
    norm.equal(0.0)?.select_by(&norm.number(1.0)?, norm)
}

/// A power by products alone, which negative numbers have too; nothing for the power of 0.
fn power(x: &Var, exponent: i64) -> Result<Option<Var>, EagerError> {
    let (mut result, mut square, mut left) = (None, x.clone(), exponent);
    while left > 0 {
        if left % 2 == 1 {
            result = Some(match result {
                None => square.clone(),
                Some(result) => square.mul(&result)?,
            });
        }
        left /= 2;
        if left > 0 {
            square = square.mul(&square)?;
        }
    }
    Ok(result)
}
