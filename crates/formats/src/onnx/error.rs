//! What can be wrong with an ONNX file.

use stratal_tensor::TensorError;
use stratal_tensor_base::{DType, DTypeError, Shape, ShapeError};

use crate::{Error, FileError, Name};

/// An ONNX file that is malformed, asks for too much, or has what is not supported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OnnxError {
    /// The bytes are no messages.
    #[error("{what} at byte {offset}, in {place}")]
    Malformed {
        /// The message, as a path of fields.
        place: String,
        /// Where the field starts in the file.
        offset: u64,
        /// What is wrong.
        what: &'static str,
    },
    /// The file passes one of the limits.
    #[error("more {what} than the limit of {limit}")]
    Limit {
        /// What there is too much of.
        what: &'static str,
        /// The limit.
        limit: u64,
    },
    /// The messages would take far more memory than the file has bytes.
    #[error("a file of {file_bytes} bytes would take more than {limit} bytes of memory, its tensors not counted")]
    TooMuchMemory {
        /// The bytes of the file.
        file_bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// Protobuf has no messages of more than 2^31-1 bytes.
    #[error("{bytes} bytes are more than a protobuf message may have")]
    TooLong {
        /// The bytes of the message.
        bytes: u64,
    },
    /// A field holds what it may not.
    #[error(transparent)]
    Decode(#[from] prost::DecodeError),
    /// No graph, so no model.
    #[error("no ONNX model: there is no graph")]
    NoGraph,
    /// Two versions of one operator set are imported.
    #[error("versions {first} and {second} of the operators of domain {domain} are imported")]
    OpsetTwice {
        /// The domain.
        domain: Name,
        /// The version imported first.
        first: i64,
        /// The other.
        second: i64,
    },
    /// A tensor that cannot be had.
    #[error("tensor {tensor}: {problem}")]
    Tensor {
        /// The tensor's name; for one that is an attribute, the names of the node and the attribute.
        tensor: Name,
        /// What is wrong.
        problem: Box<TensorProblem>,
    },
    /// A tensor that cannot be had, which is named by whoever asked for it.
    #[error(transparent)]
    Problem(Box<TensorProblem>),
}

impl OnnxError {
    pub(super) fn of_tensor(name: &str, problem: TensorProblem) -> Self {
        Self::Tensor { tensor: Name::new(name), problem: Box::new(problem) }
    }
}

/// Why a tensor of a model cannot be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TensorProblem {
    /// Its dtype is not supported, or does not exist.
    #[error(transparent)]
    DType(#[from] DTypeError),
    /// Its shape passes a limit.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// Only its elements that are not zero are stored.
    #[error("sparse tensors are not supported")]
    Sparse,
    /// It is a part of a tensor.
    #[error("tensors in segments are not supported")]
    Segment,
    /// Elements are in two places.
    #[error("there are elements in {first} and in {second}")]
    TwoPlaces {
        /// One field.
        first: &'static str,
        /// The other.
        second: &'static str,
    },
    /// Elements are in a field that is for others.
    #[error("elements of {dtype} in {field}")]
    WrongField {
        /// The dtype.
        dtype: DType,
        /// The field.
        field: &'static str,
    },
    /// The elements do not fill the shape.
    #[error("{elements} elements in {field} do not fill shape {shape}")]
    WrongCount {
        /// How many there are.
        elements: usize,
        /// The field.
        field: &'static str,
        /// The shape.
        shape: Shape,
    },
    /// The bytes do not fill the shape.
    #[error("{bytes} bytes do not fill shape {shape} of {dtype}, which takes {needed}")]
    WrongBytes {
        /// How many there are.
        bytes: u64,
        /// How many it takes.
        needed: u64,
        /// The shape.
        shape: Shape,
        /// The dtype.
        dtype: DType,
    },
    /// An element is no value of the dtype.
    #[error("element {index} is {value}, which is no {dtype}")]
    OutOfRange {
        /// Its position.
        index: usize,
        /// What is stored.
        value: i128,
        /// The dtype.
        dtype: DType,
    },
    /// A location that ONNX does not have.
    #[error("data location {location} does not exist")]
    UnknownLocation {
        /// The code.
        location: i32,
    },
    /// The elements are in another file, and it is not said in which.
    #[error("the elements are in another file, but no location is given")]
    NoLocation,
    /// What is said of the other file is malformed.
    #[error("external data: {key} is {value}, not a number of bytes")]
    NotANumber {
        /// What should be a number.
        key: &'static str,
        /// What it is.
        value: Name,
    },
    /// One thing is said twice of the other file.
    #[error("external data: {key} is given twice")]
    GivenTwice {
        /// What is said twice.
        key: &'static str,
    },
    /// The bytes could not be read, or made a tensor.
    #[error(transparent)]
    Elements(Box<Error>),
}

impl From<Error> for TensorProblem {
    fn from(error: Error) -> Self {
        Self::Elements(Box::new(error))
    }
}

impl From<FileError> for TensorProblem {
    fn from(error: FileError) -> Self {
        Error::from(error).into()
    }
}

impl From<TensorError> for TensorProblem {
    fn from(error: TensorError) -> Self {
        Error::from(error).into()
    }
}
