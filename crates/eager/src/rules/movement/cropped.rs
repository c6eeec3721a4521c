//! The gradient of what was extended by a constant: without what was added, with zeros for what was cropped.

use crate::{EagerError, Var};

/// Undoes pads, in which negative ones crop.
pub(crate) fn without_pads(gradient: &Var, before: &[i64], after: &[i64]) -> Result<Var, EagerError> {
    let opposite = |pads: &[i64]| pads.iter().map(|pad| -pad).collect::<Vec<_>>();
    gradient.pad(&opposite(before), &opposite(after), 0.0)
}
