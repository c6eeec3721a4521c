//! `KernelError`: what can be wrong with a call, with the values involved.

use stratal_tensor_base::{DType, Excerpt, Shape, ShapeError};

use crate::Backend;
use crate::map::Fault;

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
    /// The result of a reduction has, for each axis, the operand's extent or 1.
    #[error("{operation} of shape {shape} cannot give shape {result}: each extent is kept or becomes 1")]
    ReducedShape {
        /// The operation's name.
        operation: &'static str,
        /// The shape of the operand.
        shape: Shape,
        /// The shape of the result.
        result: Shape,
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
    /// There is no axis of this number.
    #[error("{operation} along axis {axis} of a tensor of rank {rank}")]
    Axis {
        /// The operation's name.
        operation: &'static str,
        /// The number asked for.
        axis: usize,
        /// The rank of the operand.
        rank: usize,
    },
    /// The operation has no result for rows without elements.
    #[error("{operation} of {dtype} has no result for rows without elements, found shape {shape}")]
    EmptyRows {
        /// The operation's name.
        operation: &'static str,
        /// The dtype of the operand.
        dtype: DType,
        /// The shape of the operand.
        shape: Shape,
    },
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
