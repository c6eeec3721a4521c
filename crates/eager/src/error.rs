//! `EagerError`: what goes wrong with variables.

use stratal_autograd::AutogradError;
use stratal_kernels::KernelError;
use stratal_ops::{Cause, OperatorError};
use stratal_tensor::TensorError;
use stratal_tensor_base::{Error as BaseError, ShapeError, ViewError};

/// What goes wrong with variables: in an operator, in the graph, with a tensor, or with what was asked for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EagerError {
    /// An operator does not take these operands.
    #[error(transparent)]
    Operator(#[from] OperatorError),
    /// The graph, or going backward through it.
    #[error(transparent)]
    Autograd(#[from] AutogradError),
    /// A tensor could not be made, seen, read or written.
    #[error(transparent)]
    Tensor(#[from] TensorError),
    /// The kernels of this process cannot be had.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// What the values involved say themselves.
    #[error("{0}")]
    Unfit(String),
}

impl From<ShapeError> for EagerError {
    fn from(error: ShapeError) -> Self {
        Self::Tensor(error.into())
    }
}

impl From<ViewError> for EagerError {
    fn from(error: ViewError) -> Self {
        Self::Tensor(error.into())
    }
}

impl From<BaseError> for EagerError {
    fn from(error: BaseError) -> Self {
        Self::Tensor(error.into())
    }
}

/// What an operator says, where its name does not help.
impl From<Cause> for EagerError {
    fn from(cause: Cause) -> Self {
        match cause {
            Cause::Tensor(error) => Self::Tensor(error),
            Cause::Kernel(error) => Self::Kernel(error),
            other => Self::Unfit(other.to_string()),
        }
    }
}
