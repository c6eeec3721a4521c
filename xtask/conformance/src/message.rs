//! The protobuf messages of ONNX's files, as far as single operators need them.
//!
//! Fields that nobody asks for are not declared, and are skipped when a file is read.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use prost::Message;

/// `ModelProto`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Model {
    #[prost(message, optional, tag = "7")]
    pub(crate) graph: Option<Graph>,
}

/// `GraphProto`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Graph {
    #[prost(message, repeated, tag = "1")]
    pub(crate) nodes: Vec<Node>,
}

/// `NodeProto`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Node {
    /// Names of values; empty for those left out.
    #[prost(string, repeated, tag = "1")]
    pub(crate) inputs: Vec<String>,
    #[prost(string, repeated, tag = "2")]
    pub(crate) outputs: Vec<String>,
    #[prost(string, tag = "4")]
    pub(crate) operator: String,
    #[prost(message, repeated, tag = "5")]
    pub(crate) attributes: Vec<Attribute>,
    #[prost(string, tag = "7")]
    pub(crate) domain: String,
}

/// `AttributeProto`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Attribute {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(float, tag = "2")]
    pub(crate) float: f32,
    #[prost(int64, tag = "3")]
    pub(crate) int: i64,
    #[prost(bytes = "vec", tag = "4")]
    pub(crate) string: Vec<u8>,
    #[prost(message, optional, tag = "5")]
    pub(crate) tensor: Option<Tensor>,
    #[prost(float, repeated, tag = "7")]
    pub(crate) floats: Vec<f32>,
    #[prost(int64, repeated, tag = "8")]
    pub(crate) ints: Vec<i64>,
    #[prost(bytes = "vec", repeated, tag = "9")]
    pub(crate) strings: Vec<Vec<u8>>,
    /// Which of the fields is meant.
    #[prost(enumeration = "AttributeKind", tag = "20")]
    pub(crate) kind: i32,
}

/// `AttributeProto.AttributeType`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub(crate) enum AttributeKind {
    Undefined = 0,
    Float = 1,
    Int = 2,
    String = 3,
    Tensor = 4,
    Graph = 5,
    Floats = 6,
    Ints = 7,
    Strings = 8,
    Tensors = 9,
    Graphs = 10,
    SparseTensor = 11,
    SparseTensors = 12,
    Type = 13,
    Types = 14,
}

/// `TensorProto`. Its elements are either all in `raw`, or all in the field of their dtype.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Tensor {
    #[prost(int64, repeated, tag = "1")]
    pub(crate) shape: Vec<i64>,
    #[prost(int32, tag = "2")]
    pub(crate) dtype: i32,
    #[prost(float, repeated, tag = "4")]
    pub(crate) f32s: Vec<f32>,
    /// All integers of up to 32 bits but `uint32`, and the bits of 16-bit floats.
    #[prost(int32, repeated, tag = "5")]
    pub(crate) i32s: Vec<i32>,
    #[prost(int64, repeated, tag = "7")]
    pub(crate) i64s: Vec<i64>,
    #[prost(bytes = "vec", optional, tag = "9")]
    pub(crate) raw: Option<Vec<u8>>,
    #[prost(double, repeated, tag = "10")]
    pub(crate) f64s: Vec<f64>,
    /// Those of `uint32`, too.
    #[prost(uint64, repeated, tag = "11")]
    pub(crate) u64s: Vec<u64>,
}

/// The message in a file.
pub(crate) fn read<M: Message + Default>(path: &Path) -> Result<M> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    M::decode(bytes.as_slice()).with_context(|| format!("{} is not the protobuf message expected", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written out by hand: an `Elu` with `alpha = 2`, an unknown field (3, its name) among the known ones.
    const MODEL: &[u8] = b"\x08\x0a\x3a\x21\x0a\x1f\x0a\x01x\x12\x01y\x1a\x01n\x22\x03Elu\x2a\x0f\
        \x0a\x05alpha\x15\x00\x00\x00\x40\xa0\x01\x01";

    #[test]
    fn a_model_is_read_and_what_is_unknown_is_skipped() {
        let model = Model::decode(MODEL).unwrap();
        let alpha =
            Attribute { name: "alpha".into(), float: 2.0, kind: AttributeKind::Float.into(), ..Default::default() };
        let [node] = &model.graph.unwrap().nodes[..] else { panic!("not one node") };
        assert_eq!((node.operator.as_str(), node.domain.as_str()), ("Elu", ""));
        assert_eq!((&node.inputs[..], &node.outputs[..]), (&["x".to_owned()][..], &["y".to_owned()][..]));
        assert_eq!(node.attributes, [alpha]);
    }

    #[test]
    fn repeated_numbers_are_read_packed_and_one_by_one() {
        let packed = Tensor::decode(&b"\x0a\x02\x02\x03"[..]).unwrap();
        let one_by_one = Tensor::decode(&b"\x08\x02\x08\x03"[..]).unwrap();
        assert_eq!((&packed.shape[..], &one_by_one.shape[..]), (&[2, 3][..], &[2, 3][..]));
    }

    #[test]
    fn bad_files_are_errors_that_name_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.onnx");
        let error = read::<Model>(&path).unwrap_err();
        assert!(error.to_string().starts_with("cannot read ") && error.to_string().contains("model.onnx"), "{error}");
        fs::write(&path, &MODEL[..20]).unwrap();
        let error = read::<Model>(&path).unwrap_err();
        assert!(error.to_string().ends_with("model.onnx is not the protobuf message expected"), "{error}");
    }
}
