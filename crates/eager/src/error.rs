//! `EagerError`: what goes wrong with variables.

use stratal_autograd::AutogradError;
use stratal_kernels::KernelError;
use stratal_ops::{Cause, OperatorError};
use stratal_tensor::TensorError;
use stratal_tensor_base::{Error as BaseError, ShapeError, ViewError};

/// What goes wrong with variables: in an operator, in the graph, with a tensor, or with what was asked for.
///
/// What is large is boxed, so that results stay small.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EagerError {
    /// An operator does not take these operands.
    #[error(transparent)]
    Operator(#[from] OperatorError),
    /// The graph, or going backward through it.
    #[error(transparent)]
    Autograd(Box<AutogradError>),
    /// A tensor could not be made, seen, read or written.
    #[error(transparent)]
    Tensor(Box<TensorError>),
    /// The kernels of this process cannot be had.
    #[error(transparent)]
    Kernel(Box<KernelError>),
    /// What the values involved say themselves.
    #[error("{0}")]
    Unfit(String),
}

impl From<AutogradError> for EagerError {
    fn from(error: AutogradError) -> Self {
        Self::Autograd(Box::new(error))
    }
}

impl From<TensorError> for EagerError {
    fn from(error: TensorError) -> Self {
        Self::Tensor(Box::new(error))
    }
}

impl From<KernelError> for EagerError {
    fn from(error: KernelError) -> Self {
        Self::Kernel(Box::new(error))
    }
}

impl From<ShapeError> for EagerError {
    fn from(error: ShapeError) -> Self {
        TensorError::from(error).into()
    }
}

impl From<ViewError> for EagerError {
    fn from(error: ViewError) -> Self {
        TensorError::from(error).into()
    }
}

impl From<BaseError> for EagerError {
    fn from(error: BaseError) -> Self {
        TensorError::from(error).into()
    }
}

/// What an operator says, where its name does not help.
impl From<Cause> for EagerError {
    fn from(cause: Cause) -> Self {
        match cause {
            Cause::Tensor(error) => error.into(),
            Cause::Kernel(error) => error.into(),
            other => Self::Unfit(other.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use stratal_tensor_base::Shape;

    use super::*;
    use crate::Var;

    #[test]
    fn results_stay_small() {
        assert!(size_of::<EagerError>() <= 64, "{}", size_of::<EagerError>());
        assert!(size_of::<Result<Var, EagerError>>() <= 128, "{}", size_of::<Result<Var, EagerError>>());
    }

    #[test]
    fn boxed_errors_read_as_themselves_and_keep_their_sources() {
        let shape = Shape::new(&[-1]).unwrap_err();
        let tensor = TensorError::from(shape);
        let error = EagerError::from(shape);
        assert_eq!(error.to_string(), tensor.to_string());
        assert_eq!(error.source().map(ToString::to_string), tensor.source().map(ToString::to_string));
        let two = Var::leaf(&[1.0_f32, 2.0], &[2]).unwrap();
        let error = two.backward().unwrap_err();
        let EagerError::Autograd(own) = &error else { panic!("{error}") };
        assert_eq!(error.to_string(), own.to_string());
    }
}
