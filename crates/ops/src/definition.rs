//! `Definition`: what is known of an operator before one is built.

use std::ops::RangeInclusive;

use stratal_tensor_base::DType;

use crate::{Cause, Node, Operator};

/// The domain of ONNX's own operators.
pub const ONNX: &str = "";

/// The domain of the operators that ONNX Runtime adds.
pub const MICROSOFT: &str = "com.microsoft";

/// A domain of ONNX for operators that may still change.
pub const PREVIEW: &str = "ai.onnx.preview";

/// The domain of ONNX for steps of training, which may still change.
pub const PREVIEW_TRAINING: &str = "ai.onnx.preview.training";

/// An operator's name, and how one is built from attributes.
#[derive(Debug)]
pub struct Definition {
    /// The set of operators that it belongs to; [`ONNX`] is empty.
    pub domain: &'static str,
    /// Its name in ONNX, such as `"Softmax"`.
    pub name: &'static str,
    /// The version of the operator set that gave it the form it has here, which is its newest.
    pub since: u32,
    /// The least and the greatest number of inputs. Those from the least on may be left out.
    pub inputs: RangeInclusive<usize>,
    /// The least and the greatest number of outputs. Those from the least on may be unwanted.
    pub outputs: RangeInclusive<usize>,
    /// The names of all attributes.
    pub attributes: &'static [&'static str],
    /// What its first input may be, or its first output if there is no input.
    pub dtypes: &'static [DType],
    /// Builds one.
    pub build: fn(&Node<'_>) -> Result<Box<dyn Operator>, Cause>,
}

/// As many inputs or outputs as one likes.
pub const ANY_NUMBER: usize = usize::MAX;
