//! `1 - x^2`, with all of its digits near -1 and 1.

use crate::{EagerError, Var};

/// `(1 - x) * (1 + x)`: both differences are exact where their product is small, as that of 1 and the square is not.
pub(super) fn one_less_square(x: &Var) -> Result<Var, EagerError> {
    x.neg()?.add(1.0)?.mul(&x.add(1.0)?)
}
