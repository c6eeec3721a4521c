//! Softmax and its like.

use stratal_ops as ops;

use crate::{EagerError, Var, apply};

impl Var {
    /// Shares that add up to 1 along an axis, in proportion to exponentials.
    ///
    /// # Errors
    /// [`EagerError::Operator`] for an axis that does not exist.
    pub fn softmax(&self, axis: i64) -> Result<Self, EagerError> {
        apply(&ops::Softmax { axis }, &[Some(self)])
    }

    /// The logarithm of [`softmax`](Self::softmax), without its loss of small ones.
    ///
    /// # Errors
    /// [`EagerError::Operator`] for an axis that does not exist.
    pub fn log_softmax(&self, axis: i64) -> Result<Self, EagerError> {
        apply(&ops::LogSoftmax { axis }, &[Some(self)])
    }
}
