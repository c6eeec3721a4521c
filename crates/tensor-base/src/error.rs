//! The errors of this crate: one enum a subject, each naming the values involved, none of them on the heap.

use crate::{DType, Excerpt, Integers, Layout, MAX_COUNT, MAX_EXTENT, MAX_RANK, Scalar, Shape};

/// Any error of this crate, for callers who meet several kinds.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A dtype was named that does not exist, or misused.
    #[error(transparent)]
    DType(#[from] DTypeError),
    /// A device was named that does not exist.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A view was asked for that does not exist, or a shape: those are [`ViewError::Shape`].
    #[error(transparent)]
    View(#[from] ViewError),
    /// A cast would lose values, or was given slices of different lengths.
    #[error(transparent)]
    Cast(#[from] CastError),
}

impl From<ShapeError> for Error {
    fn from(error: ShapeError) -> Self {
        Self::View(error.into())
    }
}

/// A dtype that does not exist, or cannot be used in this way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DTypeError {
    /// No dtype has this name.
    #[error("unknown dtype {name}")]
    UnknownName {
        /// The beginning of the name.
        name: Excerpt,
    },
    /// ONNX defines the code, but there is no dtype for it here.
    #[error("ONNX type {name} (code {code}) is not supported")]
    UnsupportedOnnxType {
        /// ONNX's name for the code.
        name: &'static str,
        /// The code.
        code: i64,
    },
    /// ONNX does not define the code.
    #[error("unknown ONNX type code {code}")]
    UnknownOnnxCode {
        /// The code.
        code: i64,
    },
    /// Elements can only be reread as elements of the same size.
    #[error(
        "cannot reinterpret {source_dtype} as {target}: elements of {} and {} bytes",
        source_dtype.size(), target.size()
    )]
    ReinterpretSize {
        /// The dtype of the elements.
        source_dtype: DType,
        /// The dtype asked for.
        target: DType,
    },
    /// Bytes of another dtype need not be 0 or 1.
    #[error("cannot reinterpret {source_dtype} as bool: its bytes need not be 0 or 1, cast instead")]
    ReinterpretAsBool {
        /// The dtype of the elements.
        source_dtype: DType,
    },
}

/// A text that names no device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// The part before the colon is no known kind of device.
    #[error("unknown device {device}: expected \"cpu\", \"cuda\" or \"cuda:N\"")]
    UnknownDevice {
        /// The beginning of the text.
        device: Excerpt,
    },
    /// There is one host memory, so it takes no index.
    #[error("device {device} carries an index, but there is only one \"cpu\"")]
    CpuIndex {
        /// The beginning of the text.
        device: Excerpt,
    },
    /// The part after the colon is not a plain decimal below 2^32.
    #[error("device {device} has a bad index: expected digits without sign or leading zero, below 2^32")]
    BadIndex {
        /// The beginning of the text.
        device: Excerpt,
    },
}

/// A shape beyond the limits, or shapes that do not fit together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// More than [`MAX_RANK`] axes.
    #[error("rank {rank} is above the limit of {MAX_RANK}")]
    RankTooLarge {
        /// The number of extents given.
        rank: usize,
    },
    /// An extent below zero.
    #[error("extent {extent} of axis {axis} is negative")]
    NegativeExtent {
        /// The position of the extent.
        axis: usize,
        /// The extent.
        extent: i64,
    },
    /// An extent above [`MAX_EXTENT`].
    #[error("extent {extent} of axis {axis} is above the limit of {MAX_EXTENT}")]
    ExtentTooLarge {
        /// The position of the extent.
        axis: usize,
        /// The extent.
        extent: u64,
    },
    /// The product of the extents up to some axis is above [`MAX_COUNT`], whatever follows.
    #[error("leading extents {extents} hold more than {MAX_COUNT} elements")]
    TooManyElements {
        /// The extents up to the one at which the product passed the limit.
        extents: Integers,
    },
    /// The elements need more than [`MAX_BYTES`](crate::MAX_BYTES) bytes.
    #[error("shape {shape} of {dtype} needs {bytes} bytes, more than a buffer holds")]
    TooManyBytes {
        /// The shape.
        shape: Shape,
        /// The dtype of the elements.
        dtype: DType,
        /// The bytes that would be needed.
        bytes: u64,
    },
    /// Two extents differ and neither is 1.
    #[error("cannot broadcast {left} with {right}")]
    Broadcast {
        /// What the earlier shapes broadcast to.
        left: Shape,
        /// The shape that does not fit.
        right: Shape,
    },
    /// A shape does not broadcast to the one asked for.
    #[error("cannot expand {from} to {to}")]
    Expand {
        /// The shape to be expanded.
        from: Shape,
        /// What was asked for.
        to: Integers,
    },
    /// The element counts differ.
    #[error("cannot reshape {from} to {to}: {} elements do not fit", from.count())]
    Reshape {
        /// The shape to be reshaped.
        from: Shape,
        /// What was asked for.
        to: Integers,
    },
    /// More than one extent was left open.
    #[error("cannot reshape {from} to {to}: only one extent may be -1")]
    InferTwice {
        /// The shape to be reshaped.
        from: Shape,
        /// What was asked for.
        to: Integers,
    },
    /// The open extent could be anything.
    #[error("cannot reshape {from} to {to}: beside an extent of 0 the -1 could be anything")]
    InferFromZero {
        /// The shape to be reshaped.
        from: Shape,
        /// What was asked for.
        to: Integers,
    },
    /// Shapes that must be equal are not.
    #[error("shapes {left} and {right} differ")]
    Different {
        /// The first shape.
        left: Shape,
        /// The first shape that differs from it.
        right: Shape,
    },
}

/// A view that does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// The shape of the view breaks a limit.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The axis is outside `-rank..rank`.
    #[error("axis {axis} is out of range for rank {rank}")]
    AxisOutOfRange {
        /// The axis asked for.
        axis: i64,
        /// The rank it must lie in.
        rank: usize,
    },
    /// An axis is named more than once.
    #[error("axis {axis} is repeated in {axes}")]
    RepeatedAxis {
        /// The axis as it was named the second time.
        axis: i64,
        /// All axes named.
        axes: Integers,
    },
    /// A permutation must name each axis once.
    #[error("{axes} does not permute {rank} axes")]
    NotAPermutation {
        /// The axes named.
        axes: Integers,
        /// The rank to be permuted.
        rank: usize,
    },
    /// The index is outside `-extent..extent`.
    #[error("index {index} is out of range for axis {axis} of extent {extent}")]
    IndexOutOfRange {
        /// The index asked for.
        index: i64,
        /// The axis.
        axis: usize,
        /// Its extent.
        extent: u32,
    },
    /// An index names another number of coordinates than the rank.
    #[error("index {index} does not fit shape {shape}")]
    IndexRank {
        /// The index asked for.
        index: Integers,
        /// The shape it should point into.
        shape: Shape,
    },
    /// A slice must move.
    #[error("slice step of axis {axis} is 0")]
    ZeroStep {
        /// The axis.
        axis: usize,
    },
    /// The range leaves the axis.
    #[error("{length} elements from {start} leave axis {axis} of extent {extent}")]
    NarrowOutOfRange {
        /// The first index.
        start: i64,
        /// The number of elements.
        length: i64,
        /// The axis.
        axis: usize,
        /// Its extent.
        extent: u32,
    },
    /// The parts do not sum to the whole.
    #[error("parts {sizes} do not sum to axis {axis} of extent {extent}")]
    SplitSizes {
        /// The sizes of the parts.
        sizes: Integers,
        /// The axis.
        axis: usize,
        /// Its extent.
        extent: u32,
    },
    /// A part size or number of parts below one.
    #[error("cannot cut axis {axis} into parts of {size}")]
    SplitSize {
        /// The size or number asked for.
        size: i64,
        /// The axis.
        axis: usize,
    },
    /// Only extents of 1 can be dropped.
    #[error("cannot squeeze axis {axis} of extent {extent}")]
    Squeeze {
        /// The axis.
        axis: usize,
        /// Its extent.
        extent: u32,
    },
    /// The window does not fit, or does not move.
    #[error("cannot unfold axis {axis} of extent {extent} into windows of {size} every {step}")]
    Unfold {
        /// The axis.
        axis: usize,
        /// Its extent.
        extent: u32,
        /// The length of a window.
        size: i64,
        /// The distance between windows.
        step: i64,
    },
    /// Each axis needs one stride.
    #[error("{strides} strides given for shape {shape}")]
    StrideCount {
        /// The number of strides given.
        strides: usize,
        /// The shape.
        shape: Shape,
    },
    /// Strides are 32-bit.
    #[error("stride {stride} of axis {axis} does not fit 32 bits")]
    StrideTooLarge {
        /// The stride.
        stride: i64,
        /// The axis.
        axis: usize,
    },
    /// The view reaches elements that the buffer does not have.
    #[error("the view reaches elements {lowest} to {highest} of a buffer of {count}")]
    OutOfBounds {
        /// The lowest element offset reached.
        lowest: i64,
        /// The highest element offset reached.
        highest: i64,
        /// The number of elements in the buffer, as far as a tensor can reach.
        count: u64,
    },
    /// The first element does not start on a multiple of its size.
    #[error("byte offset {byte_offset} is not aligned for {dtype}")]
    Misaligned {
        /// The offset asked for, in bytes.
        byte_offset: u64,
        /// The dtype of the elements.
        dtype: DType,
    },
    /// The bytes of the view leave the buffer.
    #[error("{bytes} bytes from byte {byte_offset} leave a buffer of {buffer_bytes} bytes")]
    WindowOutOfBounds {
        /// The first byte.
        byte_offset: u64,
        /// The number of bytes needed.
        bytes: u64,
        /// The size of the buffer in bytes, as far as a tensor can reach.
        buffer_bytes: u64,
    },
    /// The layout is defined for images, `[N, C, H, W]`, only.
    #[error("layout {layout} needs rank 4, but shape {shape} has rank {}", shape.rank())]
    LayoutRank {
        /// The layout asked for.
        layout: Layout,
        /// The shape.
        shape: Shape,
    },
    /// The layout has no strides, or does not determine them.
    #[error("layout {layout} does not determine strides")]
    LayoutWithoutStrides {
        /// The layout asked for.
        layout: Layout,
    },
}

/// A cast that would lose values, or slices that do not fit.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CastError {
    /// NaN has no integer.
    #[error("cannot cast {value} at index {index} from {} to {target}: not a number", value.dtype())]
    NotANumber {
        /// The value.
        value: Scalar,
        /// Its position in logical order.
        index: usize,
        /// The dtype asked for.
        target: DType,
    },
    /// The value, its fraction cut, is outside the range of the target.
    #[error("cannot cast {} at index {index} from {} to {target}: out of range", exact(*value), value.dtype())]
    OutOfRange {
        /// The value.
        value: Scalar,
        /// Its position in logical order.
        index: usize,
        /// The dtype asked for.
        target: DType,
    },
    /// Truth values are not numbers.
    #[error("no strict cast from {source_dtype} to {target}: bool is not a number")]
    Bool {
        /// The dtype of the elements.
        source_dtype: DType,
        /// The dtype asked for.
        target: DType,
    },
    /// A conversion writes one element for each it reads.
    #[error("cannot convert {source_length} elements into {target_length}")]
    LengthMismatch {
        /// Elements to be read.
        source_length: usize,
        /// Elements to be written.
        target_length: usize,
    },
}

/// The value as f64 where it is a narrower float: those print as few digits as tell them apart from their neighbours,
/// which may name a number inside the range.
fn exact(value: Scalar) -> Scalar {
    match value {
        Scalar::F32(_) | Scalar::F16(_) | Scalar::BF16(_) => Scalar::F64(value.cast()),
        other => other,
    }
}
