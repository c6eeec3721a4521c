//! `SortError`: what can be wrong with a sort, with the values involved.

use stratal_tensor_base::Shape;

/// A sort or selection that cannot be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SortError {
    /// No such axis.
    #[error("axis {axis} is out of range for {shape}")]
    Axis {
        /// The axis asked for.
        axis: i64,
        /// The operand's shape.
        shape: Shape,
    },
    /// More elements are wanted than there are, or fewer than none.
    #[error("cannot take {k} elements along axis {axis} of {shape}")]
    Count {
        /// How many are wanted.
        k: i64,
        /// The axis.
        axis: usize,
        /// The operand's shape.
        shape: Shape,
    },
}
