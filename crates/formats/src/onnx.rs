//! ONNX: models as graphs of operators.
//!
//! [`Model`] opens a file and holds its messages, which say what they are in [`messages`] and are those of `onnx.proto`. The
//! bytes of tensors stay in the file until [`Model::tensor`] is asked for one. What the graph means is not this crate's subject.
//!
//! ```
//! use stratal_formats::onnx::{Model, messages::{GraphProto, ModelProto, NodeProto}, TensorProto};
//! use stratal_tensor::Tensor;
//!
//! let bias = TensorProto::of_tensor("bias", &Tensor::from_slice(&[0.5_f32, -1.0], &[2])?)?;
//! let node = NodeProto {
//!     op_type: Some("Add".into()),
//!     input: vec!["x".into(), "bias".into()],
//!     output: vec!["y".into()],
//!     ..NodeProto::default()
//! };
//! let graph = GraphProto { node: vec![node], initializer: vec![bias], ..GraphProto::default() };
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("model.onnx");
//! Model::new(ModelProto { graph: Some(graph), ..ModelProto::default() }).write(&path)?;
//!
//! let model = Model::open(&path)?;
//! let bias = &model.graph().initializer[0];
//! assert_eq!(bias.name(), "bias");
//! assert_eq!(model.tensor(bias)?.to_vec::<f32>()?, [0.5, -1.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cursor;
mod elements;
mod error;
mod external;
pub mod messages;
mod scan;
mod tensor_proto;
mod traverse;
mod weights;
mod write;

use std::{
    collections::HashMap,
    path::Path,
    sync::{Arc, LazyLock},
};

use prost::Message;
use stratal_memory::LENGTH_MAX;
use stratal_tensor::Tensor;

use self::{
    cursor::Cursor,
    external::ExternalFiles,
    messages::{FunctionProto, GraphProto, ModelProto},
};
use crate::{Error, Limits, ModelFile, Name};

pub(crate) use self::weights::weights;
pub use self::{
    error::{OnnxError, TensorProblem},
    tensor_proto::{RawData, Segment, TensorFields, TensorProto},
    traverse::Nodes,
};

/// A model: its messages, and the files that hold its tensors.
///
/// Cloning it copies the messages, and no bytes of tensors.
#[derive(Debug, Clone)]
pub struct Model {
    // Invariant: has a graph.
    proto: ModelProto,
    files: Option<Arc<ExternalFiles>>,
}

impl Model {
    /// Opens a model. Its messages are read; the bytes of tensors are read when one is asked for.
    ///
    /// # Errors
    /// As [`of_file`](Self::of_file); [`FileError`](crate::FileError) when the file cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::of_file(&ModelFile::open(path)?, &Limits::default())
    }

    /// The model in an open file, a mapped one for example. Tensors of which the elements happen to be aligned are windows of the
    /// mapping then, which cannot be written; protobuf aligns nothing, so many are copied.
    ///
    /// # Errors
    /// [`OnnxError`] for bytes that are no model or ask for more than the limits, [`FileError`](crate::FileError) when they cannot
    /// be read. That a tensor is malformed, or not supported, is found when it is asked for.
    pub fn of_file(file: &ModelFile, limits: &Limits) -> Result<Self, Error> {
        let mut proto: ModelProto = decode(file, |wire| scan::check(wire, limits))?;
        if proto.graph.is_none() {
            return Err(OnnxError::NoGraph.into());
        }
        check_opsets(&proto)?;
        traverse::tensors_mut(&mut proto, &mut |tensor| attach(tensor, file));
        Ok(Self { proto, files: Some(Arc::new(ExternalFiles::new(file.clone()))) })
    }

    /// A model made in memory. One without a graph gets an empty one. Its tensors can be in no other file.
    pub fn new(mut proto: ModelProto) -> Self {
        proto.graph.get_or_insert_default();
        Self { proto, files: None }
    }

    /// All the messages.
    pub fn proto(&self) -> &ModelProto {
        &self.proto
    }

    /// The graph.
    pub fn graph(&self) -> &GraphProto {
        static EMPTY: LazyLock<GraphProto> = LazyLock::new(GraphProto::default);
        self.proto.graph.as_ref().unwrap_or(&EMPTY)
    }

    /// The version of the operator set of a domain that the graph uses; of ONNX's own, if `domain` is empty or `"ai.onnx"`.
    pub fn opset(&self, domain: &str) -> Option<i64> {
        let imports = self.proto.opset_import.iter();
        imports.rev().find(|import| canonical(import.domain()) == canonical(domain)).map(|import| import.version())
    }

    /// The functions that the model brings along.
    pub fn functions(&self) -> &[FunctionProto] {
        &self.proto.functions
    }

    /// A tensor of this model: an initializer, the value of an attribute.
    ///
    /// # Errors
    /// [`OnnxError::Tensor`], with the tensor's name and what is wrong with it.
    pub fn tensor(&self, tensor: &TensorProto) -> Result<Tensor, Error> {
        elements::read(tensor, self.files.as_deref())
            .map_err(|problem| OnnxError::of_tensor(tensor.name(), problem).into())
    }
}

impl TensorProto {
    /// The tensor in a file that holds one and no model, as test data do.
    ///
    /// # Errors
    /// As [`Model::of_file`].
    pub fn of_file(file: &ModelFile, limits: &Limits) -> Result<Self, Error> {
        let mut proto: Self = decode(file, |wire| scan::check_tensor(wire, limits))?;
        attach(&mut proto, file);
        Ok(proto)
    }

    /// The elements, unless they are in another file.
    ///
    /// # Errors
    /// As [`Model::tensor`].
    pub fn tensor(&self) -> Result<Tensor, Error> {
        elements::read(self, None).map_err(|problem| OnnxError::of_tensor(self.name(), problem).into())
    }
}

/// The message in a file, which is checked and then decoded.
fn decode<M: Message + Default>(
    file: &ModelFile,
    check: impl FnOnce(&mut Cursor<'_>) -> Result<(), OnnxError>,
) -> Result<M, Error> {
    if file.len() > LENGTH_MAX as u64 {
        return Err(OnnxError::TooLong { bytes: file.len() }.into());
    }
    let mut cursor = Cursor::new(file);
    let checked = check(&mut cursor);
    // What could not be read was checked as zeros, so this comes first.
    cursor.finish()?;
    checked?;
    let mut cursor = Cursor::new(file);
    let decoded = M::decode(&mut cursor);
    cursor.finish()?;
    Ok(decoded.map_err(OnnxError::from)?)
}

fn attach(tensor: &mut TensorProto, file: &ModelFile) {
    if let Some(raw_data) = &mut tensor.raw_data {
        raw_data.attach(file);
    }
}

/// ONNX's own domain has two names.
fn canonical(domain: &str) -> &str {
    if domain == "ai.onnx" { "" } else { domain }
}

fn check_opsets(proto: &ModelProto) -> Result<(), OnnxError> {
    let mut versions = HashMap::new();
    for import in &proto.opset_import {
        let second = import.version();
        let first = *versions.entry(canonical(import.domain())).or_insert(second);
        if first != second {
            return Err(OnnxError::OpsetTwice { domain: Name::new(import.domain()), first, second });
        }
    }
    Ok(())
}
