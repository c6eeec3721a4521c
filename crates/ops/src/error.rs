//! `OperatorError`: which operator cannot be computed, and why.

use stratal_kernels::KernelError;
use stratal_tensor::TensorError;
use stratal_tensor_base::{DType, Error as BaseError, Scalar, ShapeError, ViewError};

use crate::ExtentError;

/// An operator that cannot be built, inferred or computed. Nothing was written then, unless the cause says so.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{operator}: {cause}")]
pub struct OperatorError {
    /// The operator's name.
    pub operator: String,
    /// What is wrong with it.
    #[source]
    pub cause: Box<Cause>,
}

/// What is wrong with a use of an operator.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Cause {
    /// No operator has this name.
    #[error("there is no such operator in domain {domain:?}")]
    Unknown {
        /// The domain; empty for that of ONNX itself.
        domain: String,
    },
    /// An attribute that the operator does not have.
    #[error("has no attribute {name:?}")]
    UnknownAttribute {
        /// Its name.
        name: String,
    },
    /// An attribute that must be there.
    #[error("attribute {name} is missing")]
    MissingAttribute {
        /// Its name.
        name: &'static str,
    },
    /// An attribute with a value that it cannot have.
    #[error("attribute {name} is {value}: expected {expected}")]
    Attribute {
        /// Its name.
        name: &'static str,
        /// Its value, as text.
        value: String,
        /// What it may be.
        expected: &'static str,
    },
    /// Too few or too many operands.
    #[error("takes {} inputs, not {given}", range(*least, *most))]
    InputCount {
        /// The least number of inputs.
        least: usize,
        /// The greatest number of inputs.
        most: usize,
        /// How many there were.
        given: usize,
    },
    /// An operand that may not be left out.
    #[error("input {input} is missing")]
    MissingInput {
        /// Its position.
        input: usize,
    },
    /// Too few or too many results.
    #[error("has {} outputs, not {given}", range(*least, *most))]
    OutputCount {
        /// The least number of outputs.
        least: usize,
        /// The greatest number of outputs.
        most: usize,
        /// How many were asked for.
        given: usize,
    },
    /// An operand of a dtype that the operator is not defined for.
    #[error("input {input} is {dtype}: expected one of {}", names(expected))]
    DType {
        /// The operand's position.
        input: usize,
        /// Its dtype.
        dtype: DType,
        /// What it may be.
        expected: &'static [DType],
    },
    /// Two operands that must have one dtype.
    #[error("input {input} is {dtype}: expected {expected}, as another input is")]
    DTypeMismatch {
        /// The operand's position.
        input: usize,
        /// Its dtype.
        dtype: DType,
        /// What it must be.
        expected: DType,
    },
    /// An operand with too few or too many axes.
    #[error("input {input} has shape {shape}: expected {expected}")]
    Shape {
        /// The operand's position.
        input: usize,
        /// Its shape, as text.
        shape: String,
        /// What it must be.
        expected: String,
    },
    /// An axis that does not exist.
    #[error("axis {axis} does not exist at rank {rank}")]
    Axis {
        /// The axis asked for.
        axis: i64,
        /// The number of axes.
        rank: usize,
    },
    /// An element that an operand may not have.
    #[error("input {input} holds {value}: expected {expected}")]
    Element {
        /// The operand's position.
        input: usize,
        /// The element.
        value: Scalar,
        /// What it must be.
        expected: String,
    },
    /// What the values involved say themselves.
    #[error("{0}")]
    Unfit(String),
    /// The number of axes of an operand must be known.
    #[error("the rank of input {input} is not known")]
    UnknownRank {
        /// The operand's position.
        input: usize,
    },
    /// The shape of a result follows from elements, and whoever computes has not let the operator choose it.
    #[error("output {output} is to have shape {given}, but has shape {shape}")]
    OutputShape {
        /// The result's position.
        output: usize,
        /// The shape that was planned.
        given: String,
        /// The shape that it has.
        shape: String,
    },
    /// Memory of another dtype than the result has.
    #[error("output {output} is to be {given}, but is {dtype}")]
    OutputDType {
        /// The result's position.
        output: usize,
        /// The dtype that was planned.
        given: DType,
        /// The dtype that it has.
        dtype: DType,
    },
    /// What the operator would need to be computed is not there.
    #[error("is not supported with {what}")]
    Unsupported {
        /// What is not there.
        what: String,
    },
    /// An extent that cannot be computed.
    #[error(transparent)]
    Extent(#[from] ExtentError),
    /// What a kernel says.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// What a tensor says.
    #[error(transparent)]
    Tensor(#[from] TensorError),
}

impl Cause {
    /// With the name of the operator.
    pub fn of(self, operator: impl Into<String>) -> OperatorError {
        OperatorError { operator: operator.into(), cause: Box::new(self) }
    }
}

impl From<ShapeError> for Cause {
    fn from(error: ShapeError) -> Self {
        Self::Tensor(error.into())
    }
}

impl From<ViewError> for Cause {
    fn from(error: ViewError) -> Self {
        Self::Tensor(error.into())
    }
}

impl From<BaseError> for Cause {
    fn from(error: BaseError) -> Self {
        Self::Tensor(error.into())
    }
}

fn names(dtypes: &[DType]) -> String {
    dtypes.iter().map(|dtype| dtype.name()).collect::<Vec<_>>().join(", ")
}

/// How many there may be.
fn range(least: usize, most: usize) -> String {
    match most {
        usize::MAX => format!("{least} or more"),
        _ if least == most => least.to_string(),
        _ => format!("{least} to {most}"),
    }
}
