//! `KernelError`: what can be wrong with a call, with the values involved.

use stratal_tensor_base::{DType, Excerpt, Shape, ShapeError};

use crate::Backend;
use crate::map::Fault;
use crate::pool::PoolingError;
use crate::resize::ResizeError;
use crate::sort::SortError;

/// A call that cannot be done. The result is unchanged then.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum KernelError {
    /// No backend has this name.
    #[error("unknown backend {name}: expected one of reference, scalar, avx2, avx512, neon")]
    UnknownBackend {
        /// The beginning of the name.
        name: Excerpt,
    },
    /// The environment variable names no backend.
    #[error("STRATAL_BACKEND is {name}: expected one of reference, scalar, avx2, avx512, neon")]
    UnknownForcedBackend {
        /// The beginning of its value.
        name: Excerpt,
    },
    /// This machine lacks the instructions, or is of another kind.
    #[error("backend {backend} does not run on this machine")]
    UnavailableBackend {
        /// The backend asked for.
        backend: Backend,
    },
    /// The threads of a pool could not be started.
    #[error("cannot start {threads} threads")]
    Threads {
        /// The number of threads asked for.
        threads: usize,
    },
    /// The operation has no meaning for the dtype.
    #[error("{operation} is not defined for {dtype}")]
    DType {
        /// The operation's name.
        operation: &'static str,
        /// The dtype of the operand.
        dtype: DType,
    },
    /// An operand or result has another dtype than the operation gives it.
    #[error("{operation} needs a {role} of {expected}, found {found}")]
    DTypeMismatch {
        /// The operation's name.
        operation: &'static str,
        /// Which operand, or the result.
        role: &'static str,
        /// The dtype that would fit.
        expected: DType,
        /// The dtype found.
        found: DType,
    },
    /// Operands and result must have one shape; whoever calls expands broadcast ones.
    #[error("{operation} needs a {role} of shape {expected}, found {found}")]
    ShapeMismatch {
        /// The operation's name.
        operation: &'static str,
        /// Which operand, or the result.
        role: &'static str,
        /// The shape that would fit.
        expected: Shape,
        /// The shape found.
        found: Shape,
    },
    /// An integer was divided by zero.
    #[error("{operation} of {dtype}: division by zero")]
    DivisionByZero {
        /// The operation's name.
        operation: &'static str,
        /// The dtype of the operands.
        dtype: DType,
    },
    /// The integer zero was raised to a negative power.
    #[error("{operation} of {dtype}: zero to a negative power")]
    ZeroToNegativePower {
        /// The operation's name.
        operation: &'static str,
        /// The dtype of the operands.
        dtype: DType,
    },
    /// Windows, or indices into a result, that do not fit.
    #[error(transparent)]
    Pooling(#[from] PoolingError),
    /// A resize that cannot be done.
    #[error(transparent)]
    Resize(#[from] ResizeError),
    /// A sort or selection that cannot be done.
    #[error(transparent)]
    Sort(#[from] SortError),
    /// A geometry beyond the limits of shapes.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

impl KernelError {
    /// The error that a fault of an operation is.
    pub(crate) fn of_fault(fault: Fault, operation: &'static str, dtype: DType) -> Self {
        match fault {
            Fault::DivisionByZero => Self::DivisionByZero { operation, dtype },
            Fault::ZeroToNegativePower => Self::ZeroToNegativePower { operation, dtype },
        }
    }
}
