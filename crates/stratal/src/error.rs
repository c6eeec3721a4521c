//! `Error`: whatever goes wrong in any layer.

use stratal_autograd::AutogradError;
use stratal_eager::EagerError;
use stratal_kernels::KernelError;
use stratal_memory::{AccessError, AllocationError};
use stratal_ops::OperatorError;
use stratal_tensor::TensorError;
use stratal_tensor_base::{ShapeError, ViewError};

/// A result of any layer.
pub type Result<T> = std::result::Result<T, Error>;

/// Whatever goes wrong in any layer. It reads as the error of that layer, which is kept as its source.
///
/// ```
/// use std::error::Error as _;
/// use stratal::prelude::*;
///
/// fn sum() -> stratal::Result<Var> {
///     let (a, b) = (Var::from_slice(&[1.0_f32; 2], &[2])?, Var::from_slice(&[1.0_f32; 3], &[3])?);
///     Ok(a.add(&b)?)
/// }
///
/// let error = sum().unwrap_err();
/// assert_eq!(error.to_string(), "Add: cannot broadcast 2 with 3");
/// assert!(error.source().is_some());
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Of variables, their gradients and operators.
    #[error("{0}")]
    Eager(#[source] Box<EagerError>),
    /// Of files.
    #[error("{0}")]
    Format(#[source] Box<stratal_formats::Error>),
    /// Of an operator.
    #[error("{0}")]
    Operator(#[source] Box<OperatorError>),
    /// Of records and walks.
    #[error("{0}")]
    Autograd(#[source] Box<AutogradError>),
    /// Of kernels.
    #[error("{0}")]
    Kernel(#[source] Box<KernelError>),
    /// Of tensors.
    #[error("{0}")]
    Tensor(#[source] Box<TensorError>),
    /// Of shapes.
    #[error("{0}")]
    Shape(#[source] Box<ShapeError>),
    /// Of views.
    #[error("{0}")]
    View(#[source] Box<ViewError>),
    /// Of access to memory.
    #[error("{0}")]
    Access(#[source] Box<AccessError>),
    /// Of memory that cannot be had.
    #[error("{0}")]
    Allocation(#[source] Box<AllocationError>),
}

/// Boxed, so that a result of any layer stays small.
macro_rules! from_layers {
    ($($variant:ident of $error:ty),* $(,)?) => {
        $(
            impl From<$error> for Error {
                fn from(error: $error) -> Self {
                    Self::$variant(Box::new(error))
                }
            }
        )*
    };
}

from_layers! {
    Eager of EagerError,
    Format of stratal_formats::Error,
    Operator of OperatorError,
    Autograd of AutogradError,
    Kernel of KernelError,
    Tensor of TensorError,
    Shape of ShapeError,
    View of ViewError,
    Access of AccessError,
    Allocation of AllocationError,
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;

    #[test]
    fn sources_are_kept_to_the_ground() {
        let shape = stratal_tensor_base::Shape::new(&[-1]).unwrap_err();
        let error = Error::from(EagerError::from(TensorError::from(shape)));
        let mut texts = vec![error.to_string()];
        let mut source = error.source();
        while let Some(error) = source {
            texts.push(error.to_string());
            source = error.source();
        }
        assert!(texts.len() > 1, "{texts:?}");
        assert!(texts.iter().all(|text| text.contains("-1")), "{texts:?}");
    }

    #[test]
    fn errors_are_small_and_can_be_sent() {
        fn check<T: Send + Sync + 'static>() {}
        check::<Error>();
        assert!(size_of::<Error>() <= 16, "{}", size_of::<Error>());
    }
}
