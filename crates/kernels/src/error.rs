//! `KernelError`: what can be wrong with a call, with the values involved.

use stratal_tensor_base::{DType, Excerpt, Shape, ShapeError};

use crate::Backend;
use crate::convolution::ConvolutionError;
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
    /// Two operands have no product: the columns of one are not as many as the rows of the other, or leading axes do not
    /// broadcast.
    #[error("cannot multiply matrices {a} by {b}")]
    Product {
        /// The shape of the left side.
        a: Shape,
        /// The shape of the right side.
        b: Shape,
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
    /// An operation on several operands was given none.
    #[error("{operation} needs at least one operand")]
    NoOperands {
        /// The operation's name.
        operation: &'static str,
    },
    /// An axis that the operand does not have.
    #[error("{operation}: axis {axis} is out of range for rank {rank}")]
    Axis {
        /// The operation's name.
        operation: &'static str,
        /// The axis as given.
        axis: i64,
        /// The rank that it must lie within.
        rank: usize,
    },
    /// Two attributes must name different axes.
    #[error("{operation}: axis {axis} cannot be both {first} and {second}")]
    SameAxis {
        /// The operation's name.
        operation: &'static str,
        /// The axis.
        axis: usize,
        /// What one attribute takes it for.
        first: &'static str,
        /// What the other attribute takes it for.
        second: &'static str,
    },
    /// An operand has too few axes.
    #[error("{operation} needs a {role} of rank {least} or more, found {found}")]
    RankTooSmall {
        /// The operation's name.
        operation: &'static str,
        /// Which operand.
        role: &'static str,
        /// The fewest axes that will do.
        least: usize,
        /// The shape found.
        found: Shape,
    },
    /// An operand has another number of axes than the operation gives it.
    #[error("{operation} needs {role} of rank {expected}, found {found}")]
    Rank {
        /// The operation's name.
        operation: &'static str,
        /// Which operand.
        role: &'static str,
        /// The rank that would fit.
        expected: usize,
        /// The shape found.
        found: Shape,
    },
    /// A list has another length than the operand has axes.
    #[error("{operation} needs {expected} {list}, found {found}")]
    ListLength {
        /// The operation's name.
        operation: &'static str,
        /// What the list holds.
        list: &'static str,
        /// The length that would fit.
        expected: usize,
        /// The length found.
        found: usize,
    },
    /// A number that must not be negative is.
    #[error("{operation}: {attribute} {value} is negative")]
    Negative {
        /// The operation's name.
        operation: &'static str,
        /// What the number says.
        attribute: &'static str,
        /// The number.
        value: i64,
    },
    /// The parts of a split do not make up the axis.
    #[error("{operation}: parts of {sum} in all do not make up axis {axis} of extent {extent}")]
    Parts {
        /// The operation's name.
        operation: &'static str,
        /// The extents of all parts together.
        sum: u64,
        /// The axis that is split.
        axis: usize,
        /// Its extent.
        extent: usize,
    },
    /// An axis cannot be extended so far from its own elements.
    #[error(
        "{operation} with {mode}: {before} before and {after} after do not come from axis {axis} of extent {extent}"
    )]
    Padding {
        /// The operation's name.
        operation: &'static str,
        /// How the axis is extended.
        mode: &'static str,
        /// Elements added before the first, or cut off if negative.
        before: i64,
        /// Elements added behind the last, or cut off if negative.
        after: i64,
        /// The axis.
        axis: usize,
        /// Its extent.
        extent: usize,
    },
    /// Indices are of another dtype than `int32` and `int64`.
    #[error("{operation} needs {role} of int32 or int64, found {found}")]
    IndexDType {
        /// The operation's name.
        operation: &'static str,
        /// Which operand.
        role: &'static str,
        /// The dtype found.
        found: DType,
    },
    /// An index points outside its axis.
    #[error("{operation}: index {index} is out of range for axis {axis} of extent {extent}")]
    Index {
        /// The operation's name.
        operation: &'static str,
        /// The index as given.
        index: i64,
        /// The axis that it counts along.
        axis: usize,
        /// The extent of that axis.
        extent: usize,
    },
    /// The last axis of indices holds no coordinates for the axes of the operand.
    #[error("{operation}: indices {indices} have no coordinates for {shape} behind {batch_axes} batch axes")]
    Coordinates {
        /// The operation's name.
        operation: &'static str,
        /// The shape of the indices.
        indices: Shape,
        /// The shape of what they point into.
        shape: Shape,
        /// Leading axes that both share.
        batch_axes: usize,
    },
    /// A condition has more elements than there are to choose from.
    #[error("{operation}: a condition of {condition} elements for {extent}")]
    ConditionTooLong {
        /// The operation's name.
        operation: &'static str,
        /// The elements of the condition.
        condition: usize,
        /// The elements or slices to choose from.
        extent: usize,
    },
    /// A sequence is longer than its axis, or of negative length.
    #[error("{operation}: sequence {sequence} of length {length} does not fit axis {axis} of extent {extent}")]
    SequenceLength {
        /// The operation's name.
        operation: &'static str,
        /// The position of the sequence in its batch.
        sequence: usize,
        /// The length as given.
        length: i64,
        /// The axis of the elements of a sequence.
        axis: usize,
        /// Its extent.
        extent: usize,
    },
    /// A kernel that does not fit its images.
    #[error(transparent)]
    Convolution(#[from] ConvolutionError),
    /// Windows, or indices into a result, that do not fit.
    #[error(transparent)]
    Pooling(#[from] PoolingError),
    /// A resize that cannot be done.
    #[error(transparent)]
    Resize(#[from] ResizeError),
    /// A sort or selection that cannot be done.
    #[error(transparent)]
    Sort(#[from] SortError),
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
