//! Products of matrices.

use stratal_ops as ops;

use crate::{EagerError, Var, apply};

impl Var {
    /// The product of matrices, or of batches of them that broadcast. A single axis counts as a row on the left, as a column on
    /// the right.
    ///
    /// # Errors
    /// [`EagerError::Operator`] when the two do not fit.
    pub fn matmul(&self, other: &Self) -> Result<Self, EagerError> {
        apply(&ops::MatMul, &[Some(self), Some(other)])
    }
}
