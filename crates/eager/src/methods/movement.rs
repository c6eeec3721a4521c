//! Moving elements: joining, gathering, scattering.

use stratal_ops as ops;

use crate::{EagerError, Var, apply};

impl Var {
    /// Variables one behind the other along an axis.
    ///
    /// # Errors
    /// [`EagerError::Operator`] when other extents than that of the axis differ.
    pub fn concat(parts: &[&Self], axis: i64) -> Result<Self, EagerError> {
        let inputs: Vec<_> = parts.iter().map(|&part| Some(part)).collect();
        apply(&ops::Concat { axis }, &inputs)
    }

    /// What is at indices along an axis, in their place. Negative ones count from the end.
    ///
    /// # Errors
    /// [`EagerError::Operator`] for indices that are no integers or do not exist.
    pub fn gather(&self, axis: i64, indices: &Self) -> Result<Self, EagerError> {
        apply(&ops::Gather { axis }, &[Some(self), Some(indices)])
    }
}
