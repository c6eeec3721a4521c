//! Whether a gradient fits the value that it belongs to.

use std::fmt;

use stratal_tensor::{
    Tensor,
    base::{DType, Shape},
};

use crate::{AutogradError, OpKind};

/// What a gradient belongs to, for errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// An input of an operation: what its rule has returned.
    Input {
        /// The operation.
        op: OpKind,
        /// Which input.
        index: usize,
    },
    /// An output of an operation: the sum of what its users gave.
    Output {
        /// The operation.
        op: OpKind,
        /// Which output.
        index: usize,
    },
    /// A leaf.
    Leaf,
    /// An output of the walk: the gradient that the caller gave for it.
    Seed {
        /// Which output of the walk.
        index: usize,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input { op, index } => write!(formatter, "input {index} of {op}"),
            Self::Output { op, index } => write!(formatter, "output {index} of {op}"),
            Self::Leaf => formatter.write_str("a leaf"),
            Self::Seed { index } => write!(formatter, "output {index} of the walk"),
        }
    }
}

/// Checks a gradient against the shape and dtype of what it belongs to.
pub(crate) fn check_gradient(
    gradient: &Tensor,
    shape: &Shape,
    dtype: DType,
    place: Place,
) -> Result<(), AutogradError> {
    if gradient.shape() != shape {
        Err(AutogradError::WrongShape { place, expected: *shape, given: *gradient.shape() })
    } else if gradient.dtype() != dtype {
        Err(AutogradError::WrongDType { place, expected: dtype, given: gradient.dtype() })
    } else if gradient.geometry().is_err() {
        Err(AutogradError::BlockedGradient { place, layout: gradient.layout() })
    } else {
        Ok(())
    }
}
