//! `TensorError`: why a tensor could not be made, read, written or viewed, naming the values involved.

use stratal_memory::{AccessError, AllocationError, ReleaseError};
use stratal_tensor_base::{
    CastError, DType, DTypeError, DeviceError, Error, Geometry, Layout, Scalar, Shape, ShapeError, ViewError,
};

/// Why a tensor could not be made, read, written or viewed. Nothing has changed when one is returned.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TensorError {
    /// A shape, view, dtype or cast that does not exist.
    #[error(transparent)]
    Base(#[from] Error),
    /// Memory that could not be had.
    #[error(transparent)]
    Allocation(#[from] AllocationError),
    /// An access that was refused: a stale handle, a conflict of borrows, read-only memory.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// A release that failed.
    #[error(transparent)]
    Release(#[from] ReleaseError),
    /// Elements can only be accessed as what they are.
    #[error("a tensor of {tensor} was accessed as {asked}")]
    WrongDType {
        /// The dtype of the tensor.
        tensor: DType,
        /// The dtype of the Rust type asked for.
        asked: DType,
    },
    /// Two tensors of different dtypes meet, and nothing converts by itself.
    #[error("tensors of {left} and {right} meet; cast one of them")]
    MixedDTypes {
        /// The dtype of the first.
        left: DType,
        /// The dtype of the second.
        right: DType,
    },
    /// The operation is for floating-point tensors.
    #[error("{operation} needs a floating-point tensor, not {dtype}")]
    NotFloat {
        /// What was asked for.
        operation: &'static str,
        /// The dtype of the tensor.
        dtype: DType,
    },
    /// Only contiguous elements are a slice.
    #[error("not contiguous, so no slice: {geometry:?}")]
    NotContiguous {
        /// Where the elements are.
        geometry: Geometry,
    },
    /// Two indices may share an element, so writing through the view is refused.
    #[error("several indices may share an element, so it cannot be written: {geometry:?}")]
    Overlapping {
        /// Where the elements are.
        geometry: Geometry,
    },
    /// Blocked tensors have no strides, so only layout conversion, the stored span and metadata work on them.
    #[error("{operation} does not work on a tensor in layout {layout}; convert it with to_layout")]
    Blocked {
        /// What was asked for.
        operation: &'static str,
        /// The layout of the tensor.
        layout: Layout,
    },
    /// The dtype has no such value.
    #[error("{value} is no value of {dtype}")]
    NoSuchValue {
        /// The value.
        value: Scalar,
        /// The dtype.
        dtype: DType,
    },
    /// The number of elements given does not fill the shape.
    #[error("{elements} elements were given for shape {shape}")]
    WrongCount {
        /// How many elements were given.
        elements: usize,
        /// The shape.
        shape: Shape,
    },
    /// A range counts with a step.
    #[error("a range from {start} to {stop} cannot have step 0")]
    ZeroStep {
        /// The first number.
        start: i64,
        /// The number before which to stop.
        stop: i64,
    },
    /// Numbers can be drawn from a finite range in ascending order only.
    #[error("cannot draw from {low} to {high}: needs a finite, ascending range")]
    BadRange {
        /// The lower end.
        low: f64,
        /// The upper end.
        high: f64,
    },
    /// A normal distribution has a finite mean and a finite deviation of at least zero.
    #[error("no normal distribution has mean {mean} and deviation {deviation}")]
    BadNormal {
        /// The mean.
        mean: f64,
        /// The standard deviation.
        deviation: f64,
    },
    /// A tolerance is zero or more.
    #[error("a tolerance is at least 0: relative {relative}, absolute {absolute}")]
    BadTolerance {
        /// The relative tolerance.
        relative: f64,
        /// The absolute tolerance.
        absolute: f64,
    },
    /// A buffer whose memory starts where elements of the dtype may not.
    #[error("byte {byte_offset} of the buffer is not aligned in memory for {dtype}")]
    Misaligned {
        /// Where the tensor would start, in bytes.
        byte_offset: u64,
        /// The dtype.
        dtype: DType,
    },
}

impl From<ShapeError> for TensorError {
    fn from(error: ShapeError) -> Self {
        Self::Base(error.into())
    }
}

impl From<ViewError> for TensorError {
    fn from(error: ViewError) -> Self {
        Self::Base(error.into())
    }
}

impl From<CastError> for TensorError {
    fn from(error: CastError) -> Self {
        Self::Base(error.into())
    }
}

impl From<DTypeError> for TensorError {
    fn from(error: DTypeError) -> Self {
        Self::Base(error.into())
    }
}

impl From<DeviceError> for TensorError {
    fn from(error: DeviceError) -> Self {
        Self::Base(error.into())
    }
}
