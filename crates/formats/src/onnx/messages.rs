//! The protobuf messages of ONNX, each declared by its field numbers.
//!
//! They are what a file says, unchecked: [`Model`](super::Model) reads tensors out of them. Names are those of `onnx.proto`.
//! What is declared is kept when a model is written again. Not declared, and so lost: training information, device
//! configurations, and fields that ONNX does not have.

use prost::{Enumeration, Message, Oneof};

use super::tensor_proto::TensorProto;

/// A model: one graph, the functions it calls, and the operator sets that give both their meaning.
#[derive(Clone, PartialEq, Message)]
pub struct ModelProto {
    /// The version of the format itself.
    #[prost(int64, optional, tag = "1")]
    pub ir_version: Option<i64>,
    /// The program that wrote the model.
    #[prost(string, optional, tag = "2")]
    pub producer_name: Option<String>,
    /// Its version.
    #[prost(string, optional, tag = "3")]
    pub producer_version: Option<String>,
    /// The reverse domain name of whoever the model belongs to.
    #[prost(string, optional, tag = "4")]
    pub domain: Option<String>,
    /// The version of the model.
    #[prost(int64, optional, tag = "5")]
    pub model_version: Option<i64>,
    /// What the model is for.
    #[prost(string, optional, tag = "6")]
    pub doc_string: Option<String>,
    /// The graph.
    #[prost(message, optional, tag = "7")]
    pub graph: Option<GraphProto>,
    /// The operator sets that the graph uses.
    #[prost(message, repeated, tag = "8")]
    pub opset_import: Vec<OperatorSetIdProto>,
    /// Anything else, by name.
    #[prost(message, repeated, tag = "14")]
    pub metadata_props: Vec<StringStringEntryProto>,
    /// Functions that nodes call like operators.
    #[prost(message, repeated, tag = "25")]
    pub functions: Vec<FunctionProto>,
}

/// One operator set, by its domain and version.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct OperatorSetIdProto {
    /// The domain; empty for ONNX's own operators.
    #[prost(string, optional, tag = "1")]
    pub domain: Option<String>,
    /// The version.
    #[prost(int64, optional, tag = "2")]
    pub version: Option<i64>,
}

/// A text by a name.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct StringStringEntryProto {
    /// The name.
    #[prost(string, optional, tag = "1")]
    pub key: Option<String>,
    /// The text.
    #[prost(string, optional, tag = "2")]
    pub value: Option<String>,
}

/// Nodes, and the values that flow between them by name.
#[derive(Clone, PartialEq, Message)]
pub struct GraphProto {
    /// The nodes, each after those it depends on.
    #[prost(message, repeated, tag = "1")]
    pub node: Vec<NodeProto>,
    /// The graph's name.
    #[prost(string, optional, tag = "2")]
    pub name: Option<String>,
    /// Constant values, or defaults of inputs of the same names.
    #[prost(message, repeated, tag = "5")]
    pub initializer: Vec<TensorProto>,
    /// What the graph is for.
    #[prost(string, optional, tag = "10")]
    pub doc_string: Option<String>,
    /// The inputs, in order.
    #[prost(message, repeated, tag = "11")]
    pub input: Vec<ValueInfoProto>,
    /// The outputs, in order.
    #[prost(message, repeated, tag = "12")]
    pub output: Vec<ValueInfoProto>,
    /// What is known of values in between.
    #[prost(message, repeated, tag = "13")]
    pub value_info: Vec<ValueInfoProto>,
    /// Which values hold scales and zero points of others.
    #[prost(message, repeated, tag = "14")]
    pub quantization_annotation: Vec<TensorAnnotation>,
    /// Constant values stored sparsely.
    #[prost(message, repeated, tag = "15")]
    pub sparse_initializer: Vec<SparseTensorProto>,
    /// Anything else, by name.
    #[prost(message, repeated, tag = "16")]
    pub metadata_props: Vec<StringStringEntryProto>,
}

/// One call of an operator or function.
#[derive(Clone, PartialEq, Message)]
pub struct NodeProto {
    /// Names of the values it takes; empty for those left out.
    #[prost(string, repeated, tag = "1")]
    pub input: Vec<String>,
    /// Names of the values it makes; empty for those that nobody wants.
    #[prost(string, repeated, tag = "2")]
    pub output: Vec<String>,
    /// The node's name; often there is none.
    #[prost(string, optional, tag = "3")]
    pub name: Option<String>,
    /// The operator's or function's name.
    #[prost(string, optional, tag = "4")]
    pub op_type: Option<String>,
    /// The attributes.
    #[prost(message, repeated, tag = "5")]
    pub attribute: Vec<AttributeProto>,
    /// What the node is for.
    #[prost(string, optional, tag = "6")]
    pub doc_string: Option<String>,
    /// The domain of the operator; empty for ONNX's own.
    #[prost(string, optional, tag = "7")]
    pub domain: Option<String>,
    /// Which of several functions of one name is called.
    #[prost(string, optional, tag = "8")]
    pub overload: Option<String>,
    /// Anything else, by name.
    #[prost(message, repeated, tag = "9")]
    pub metadata_props: Vec<StringStringEntryProto>,
}

impl NodeProto {
    /// What a message for people calls the node: its name, or else the first value it makes, or else its operator.
    pub fn label(&self) -> &str {
        let named = self.name.as_deref().filter(|name| !name.is_empty());
        let made = || self.output.iter().map(String::as_str).find(|name| !name.is_empty());
        named.or_else(made).unwrap_or_else(|| self.op_type())
    }
}

/// A constant that belongs to a node, of one of several kinds.
#[derive(Clone, PartialEq, Message)]
pub struct AttributeProto {
    /// The attribute's name.
    #[prost(string, optional, tag = "1")]
    pub name: Option<String>,
    /// A number.
    #[prost(float, optional, tag = "2")]
    pub f: Option<f32>,
    /// An integer.
    #[prost(int64, optional, tag = "3")]
    pub i: Option<i64>,
    /// A text, not always UTF-8.
    #[prost(bytes = "vec", optional, tag = "4")]
    pub s: Option<Vec<u8>>,
    /// A tensor.
    #[prost(message, optional, boxed, tag = "5")]
    pub t: Option<Box<TensorProto>>,
    /// A subgraph.
    #[prost(message, optional, boxed, tag = "6")]
    pub g: Option<Box<GraphProto>>,
    /// Numbers.
    #[prost(float, repeated, packed = "false", tag = "7")]
    pub floats: Vec<f32>,
    /// Integers.
    #[prost(int64, repeated, packed = "false", tag = "8")]
    pub ints: Vec<i64>,
    /// Texts.
    #[prost(bytes = "vec", repeated, tag = "9")]
    pub strings: Vec<Vec<u8>>,
    /// Tensors.
    #[prost(message, repeated, tag = "10")]
    pub tensors: Vec<TensorProto>,
    /// Subgraphs.
    #[prost(message, repeated, tag = "11")]
    pub graphs: Vec<GraphProto>,
    /// What the attribute is for.
    #[prost(string, optional, tag = "13")]
    pub doc_string: Option<String>,
    /// A type.
    #[prost(message, optional, boxed, tag = "14")]
    pub tp: Option<Box<TypeProto>>,
    /// Types.
    #[prost(message, repeated, tag = "15")]
    pub type_protos: Vec<TypeProto>,
    /// Which of the fields is meant.
    #[prost(enumeration = "AttributeType", optional, tag = "20")]
    pub r#type: Option<i32>,
    /// In a function: the attribute of the calling node that gives the value.
    #[prost(string, optional, tag = "21")]
    pub ref_attr_name: Option<String>,
    /// A sparse tensor.
    #[prost(message, optional, boxed, tag = "22")]
    pub sparse_tensor: Option<Box<SparseTensorProto>>,
    /// Sparse tensors.
    #[prost(message, repeated, tag = "23")]
    pub sparse_tensors: Vec<SparseTensorProto>,
}

/// The kinds of attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Enumeration)]
#[repr(i32)]
pub enum AttributeType {
    /// Not said.
    Undefined = 0,
    /// A number.
    Float = 1,
    /// An integer.
    Int = 2,
    /// A text.
    String = 3,
    /// A tensor.
    Tensor = 4,
    /// A subgraph.
    Graph = 5,
    /// Numbers.
    Floats = 6,
    /// Integers.
    Ints = 7,
    /// Texts.
    Strings = 8,
    /// Tensors.
    Tensors = 9,
    /// Subgraphs.
    Graphs = 10,
    /// A sparse tensor.
    SparseTensor = 11,
    /// Sparse tensors.
    SparseTensors = 12,
    /// A type.
    TypeProto = 13,
    /// Types.
    TypeProtos = 14,
}

/// A tensor of which the elements that are not zero are stored.
#[derive(Clone, PartialEq, Message)]
pub struct SparseTensorProto {
    /// The elements; the tensor's name is that of this one.
    #[prost(message, optional, tag = "1")]
    pub values: Option<TensorProto>,
    /// Where they stand.
    #[prost(message, optional, tag = "2")]
    pub indices: Option<TensorProto>,
    /// The extents.
    #[prost(int64, repeated, tag = "3")]
    pub dims: Vec<i64>,
}

/// What is known of a value.
#[derive(Clone, PartialEq, Message)]
pub struct ValueInfoProto {
    /// The value's name.
    #[prost(string, optional, tag = "1")]
    pub name: Option<String>,
    /// Its type.
    #[prost(message, optional, tag = "2")]
    pub r#type: Option<TypeProto>,
    /// What it is for.
    #[prost(string, optional, tag = "3")]
    pub doc_string: Option<String>,
    /// Anything else, by name.
    #[prost(message, repeated, tag = "4")]
    pub metadata_props: Vec<StringStringEntryProto>,
}

/// The type of a value.
#[derive(Clone, PartialEq, Message)]
pub struct TypeProto {
    /// One of the kinds of types.
    #[prost(oneof = "TypeValue", tags = "1, 4, 5, 8, 9")]
    pub value: Option<TypeValue>,
    /// What the values mean.
    #[prost(string, optional, tag = "6")]
    pub denotation: Option<String>,
}

/// The kinds of types.
#[derive(Clone, PartialEq, Oneof)]
pub enum TypeValue {
    /// A tensor.
    #[prost(message, tag = "1")]
    TensorType(TensorType),
    /// A list of values of one type.
    #[prost(message, tag = "4")]
    SequenceType(ElementType),
    /// Values by keys.
    #[prost(message, tag = "5")]
    MapType(MapType),
    /// A sparse tensor.
    #[prost(message, tag = "8")]
    SparseTensorType(TensorType),
    /// A value or none.
    #[prost(message, tag = "9")]
    OptionalType(ElementType),
}

/// The dtype and shape of a tensor.
#[derive(Clone, PartialEq, Message)]
pub struct TensorType {
    /// The code of the dtype.
    #[prost(int32, optional, tag = "1")]
    pub elem_type: Option<i32>,
    /// The shape; without one even the rank is unknown.
    #[prost(message, optional, tag = "2")]
    pub shape: Option<TensorShapeProto>,
}

/// The type within a sequence or an optional.
#[derive(Clone, PartialEq, Message)]
pub struct ElementType {
    /// The type.
    #[prost(message, optional, boxed, tag = "1")]
    pub elem_type: Option<Box<TypeProto>>,
}

/// The types of a map.
#[derive(Clone, PartialEq, Message)]
pub struct MapType {
    /// The code of the keys' dtype.
    #[prost(int32, optional, tag = "1")]
    pub key_type: Option<i32>,
    /// The type of the values.
    #[prost(message, optional, boxed, tag = "2")]
    pub value_type: Option<Box<TypeProto>>,
}

/// The extents of a tensor, as far as they are known.
#[derive(Clone, PartialEq, Message)]
pub struct TensorShapeProto {
    /// One for each axis.
    #[prost(message, repeated, tag = "1")]
    pub dim: Vec<Dimension>,
}

/// One extent.
#[derive(Clone, PartialEq, Message)]
pub struct Dimension {
    /// A number or a name; neither if nothing is known.
    #[prost(oneof = "DimensionValue", tags = "1, 2")]
    pub value: Option<DimensionValue>,
    /// What the axis means.
    #[prost(string, optional, tag = "3")]
    pub denotation: Option<String>,
}

/// What is known of an extent.
#[derive(Clone, PartialEq, Eq, Oneof)]
pub enum DimensionValue {
    /// Its value.
    #[prost(int64, tag = "1")]
    DimValue(i64),
    /// A name; extents of one name are equal.
    #[prost(string, tag = "2")]
    DimParam(String),
}

/// Which values hold the scale and zero point of a tensor.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct TensorAnnotation {
    /// The tensor.
    #[prost(string, optional, tag = "1")]
    pub tensor_name: Option<String>,
    /// Names of values by role.
    #[prost(message, repeated, tag = "2")]
    pub quant_parameter_tensor_names: Vec<StringStringEntryProto>,
}

/// A function: nodes that a node calls by the function's name.
#[derive(Clone, PartialEq, Message)]
pub struct FunctionProto {
    /// The function's name.
    #[prost(string, optional, tag = "1")]
    pub name: Option<String>,
    /// Names of the values it takes.
    #[prost(string, repeated, tag = "4")]
    pub input: Vec<String>,
    /// Names of the values it makes.
    #[prost(string, repeated, tag = "5")]
    pub output: Vec<String>,
    /// Names of attributes that a call must give.
    #[prost(string, repeated, tag = "6")]
    pub attribute: Vec<String>,
    /// The nodes, each after those it depends on.
    #[prost(message, repeated, tag = "7")]
    pub node: Vec<NodeProto>,
    /// What the function is for.
    #[prost(string, optional, tag = "8")]
    pub doc_string: Option<String>,
    /// The operator sets that the nodes use.
    #[prost(message, repeated, tag = "9")]
    pub opset_import: Vec<OperatorSetIdProto>,
    /// The function's domain.
    #[prost(string, optional, tag = "10")]
    pub domain: Option<String>,
    /// Attributes that a call may give, with their defaults.
    #[prost(message, repeated, tag = "11")]
    pub attribute_proto: Vec<AttributeProto>,
    /// What is known of values in between.
    #[prost(message, repeated, tag = "12")]
    pub value_info: Vec<ValueInfoProto>,
    /// Which of several functions of one name this is.
    #[prost(string, optional, tag = "13")]
    pub overload: Option<String>,
    /// Anything else, by name.
    #[prost(message, repeated, tag = "14")]
    pub metadata_props: Vec<StringStringEntryProto>,
}
