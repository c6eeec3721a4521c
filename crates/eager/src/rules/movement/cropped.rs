//! The gradient of what was extended by a constant: without what was added, with zeros for what was cropped.

use crate::{EagerError, Var};

/// Undoes pads, in which negative ones crop.
pub(crate) fn without_pads(gradient: &Var, before: &[i64], after: &[i64]) -> Result<Var, EagerError> {
    let opposite = |pads: &[i64]| pads.iter().map(|pad| pad.checked_neg()).collect::<Option<Vec<_>>>();
    match (opposite(before), opposite(after)) {
        (Some(before), Some(after)) => gradient.pad(&before, &after, 0.0),
        _ => Err(EagerError::Unfit(format!("cannot undo pads of {before:?} before and {after:?} after"))),
    }
}
