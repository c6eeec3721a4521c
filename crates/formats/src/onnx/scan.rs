//! The first look at a model: its messages are walked, and weighed, before anything is allocated for them.
//!
//! Protobuf is dense: two bytes may stand for an empty node, which takes hundreds in memory. So this walk, which allocates
//! nothing but a stack of open messages, checks every length against the message around it, counts nodes and tensors,
//! measures names and nesting, and estimates what decoding will take. Only then does prost decode.

use bytes::Buf;

use super::{
    OnnxError,
    messages::{
        AttributeProto, Dimension, ElementType, FunctionProto, GraphProto, MapType, ModelProto, NodeProto,
        OperatorSetIdProto, SparseTensorProto, StringStringEntryProto, TensorAnnotation, TensorShapeProto, TensorType,
        TypeProto, ValueInfoProto,
    },
    tensor_proto::TensorProto,
};
use crate::Limits;

/// How deep messages may be nested: a bit less than what prost decodes.
const DEPTH_MAX: usize = 96;

/// What decoding may take for each byte of the file, and at least. Nodes with many small attributes take about 40 bytes for
/// each of theirs; most models are weights.
const MEMORY_PER_BYTE: u64 = 64;
const MEMORY_MIN: u64 = 1 << 20;

/// Checks a model before it is decoded.
pub(super) fn check(wire: &mut impl Buf, limits: &Limits) -> Result<(), OnnxError> {
    walk(wire, limits, Kind::Model)
}

/// Checks a tensor that is a file of its own.
pub(super) fn check_tensor(wire: &mut impl Buf, limits: &Limits) -> Result<(), OnnxError> {
    walk(wire, limits, Kind::Tensor)
}

/// The messages that are decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Model,
    OperatorSet,
    Entry,
    Graph,
    Node,
    Attribute,
    Tensor,
    SparseTensor,
    ValueInfo,
    Type,
    TensorType,
    Element,
    Map,
    Shape,
    Dimension,
    Annotation,
    Function,
}

/// What a field holds, as far as this walk must know.
#[derive(Debug, Clone, Copy)]
enum Field {
    /// A message.
    Message(Kind, &'static str),
    /// A name.
    Name,
    /// Text or bytes of any use.
    Text,
    /// Bytes that stay in the file, numbers, and what is not declared.
    Other,
}

/// A message that the walk is in.
#[derive(Debug)]
struct Open {
    kind: Kind,
    name: &'static str,
    /// Which of its kind in its parent it is.
    index: u64,
    /// Where it ends.
    end: u64,
    /// How many messages of each field it has had so far; more fields share the last.
    children: [u32; 27],
}

impl Kind {
    #[rustfmt::skip]
    fn field(self, number: u32) -> Field {
        use Field::{Message, Name, Text};
        match (self, number) {
            (Self::Model, 2..=4) | (Self::OperatorSet, 1) | (Self::Entry, 1) => Name,
            (Self::Model, 6) | (Self::Entry, 2) => Text,
            (Self::Model, 7) => Message(Self::Graph, "graph"),
            (Self::Model, 8) | (Self::Function, 9) => Message(Self::OperatorSet, "opset_import"),
            (Self::Model, 14) | (Self::Graph, 16) | (Self::Node, 9) | (Self::Tensor, 16) | (Self::ValueInfo, 4) | (Self::Function, 14) =>
                Message(Self::Entry, "metadata_props"),
            (Self::Model, 25) => Message(Self::Function, "functions"),
            (Self::Graph, 1) | (Self::Function, 7) => Message(Self::Node, "node"),
            (Self::Graph, 2) => Name,
            (Self::Graph, 5) => Message(Self::Tensor, "initializer"),
            (Self::Graph, 10) => Text,
            (Self::Graph, 11) => Message(Self::ValueInfo, "input"),
            (Self::Graph, 12) => Message(Self::ValueInfo, "output"),
            (Self::Graph, 13) | (Self::Function, 12) => Message(Self::ValueInfo, "value_info"),
            (Self::Graph, 14) => Message(Self::Annotation, "quantization_annotation"),
            (Self::Graph, 15) => Message(Self::SparseTensor, "sparse_initializer"),
            (Self::Node, 1..=4 | 7 | 8) => Name,
            (Self::Node, 5) => Message(Self::Attribute, "attribute"),
            (Self::Node, 6) => Text,
            (Self::Attribute, 1 | 21) => Name,
            (Self::Attribute, 4 | 9 | 13) => Text,
            (Self::Attribute, 5) => Message(Self::Tensor, "t"),
            (Self::Attribute, 6) => Message(Self::Graph, "g"),
            (Self::Attribute, 10) => Message(Self::Tensor, "tensors"),
            (Self::Attribute, 11) => Message(Self::Graph, "graphs"),
            (Self::Attribute, 14) => Message(Self::Type, "tp"),
            (Self::Attribute, 15) => Message(Self::Type, "type_protos"),
            (Self::Attribute, 22) => Message(Self::SparseTensor, "sparse_tensor"),
            (Self::Attribute, 23) => Message(Self::SparseTensor, "sparse_tensors"),
            (Self::Tensor, 6 | 12) => Text,
            (Self::Tensor, 8) => Name,
            (Self::Tensor, 13) => Message(Self::Entry, "external_data"),
            (Self::SparseTensor, 1) => Message(Self::Tensor, "values"),
            (Self::SparseTensor, 2) => Message(Self::Tensor, "indices"),
            (Self::ValueInfo, 1) => Name,
            (Self::ValueInfo, 2) => Message(Self::Type, "type"),
            (Self::ValueInfo, 3) => Text,
            (Self::Type, 1) => Message(Self::TensorType, "tensor_type"),
            (Self::Type, 4) => Message(Self::Element, "sequence_type"),
            (Self::Type, 5) => Message(Self::Map, "map_type"),
            (Self::Type, 6) => Name,
            (Self::Type, 8) => Message(Self::TensorType, "sparse_tensor_type"),
            (Self::Type, 9) => Message(Self::Element, "optional_type"),
            (Self::TensorType, 2) => Message(Self::Shape, "shape"),
            (Self::Element, 1) => Message(Self::Type, "elem_type"),
            (Self::Map, 2) => Message(Self::Type, "value_type"),
            (Self::Shape, 1) => Message(Self::Dimension, "dim"),
            (Self::Dimension, 2 | 3) => Name,
            (Self::Annotation, 1) => Name,
            (Self::Annotation, 2) => Message(Self::Entry, "quant_parameter_tensor_names"),
            (Self::Function, 1 | 4..=6 | 10 | 13) => Name,
            (Self::Function, 8) => Text,
            (Self::Function, 11) => Message(Self::Attribute, "attribute_proto"),
            _ => Field::Other,
        }
    }

    /// The bytes of such a message in memory, without what it points to.
    fn size(self) -> usize {
        match self {
            Self::Model => size_of::<ModelProto>(),
            Self::OperatorSet => size_of::<OperatorSetIdProto>(),
            Self::Entry => size_of::<StringStringEntryProto>(),
            Self::Graph => size_of::<GraphProto>(),
            Self::Node => size_of::<NodeProto>(),
            Self::Attribute => size_of::<AttributeProto>(),
            Self::Tensor => size_of::<TensorProto>(),
            Self::SparseTensor => size_of::<SparseTensorProto>(),
            Self::ValueInfo => size_of::<ValueInfoProto>(),
            Self::Type => size_of::<TypeProto>(),
            Self::TensorType => size_of::<TensorType>(),
            Self::Element => size_of::<ElementType>(),
            Self::Map => size_of::<MapType>(),
            Self::Shape => size_of::<TensorShapeProto>(),
            Self::Dimension => size_of::<Dimension>(),
            Self::Annotation => size_of::<TensorAnnotation>(),
            Self::Function => size_of::<FunctionProto>(),
        }
    }
}

/// The state of a walk.
struct Scan<'a, Wire> {
    wire: &'a mut Wire,
    limits: &'a Limits,
    total: u64,
    stack: Vec<Open>,
    graphs_open: u32,
    nodes: u64,
    tensors: u64,
    entries: u64,
    memory: u64,
    memory_max: u64,
}

/// How much memory the messages of a file may take, its tensors not counted.
pub(super) fn memory_max(file_bytes: u64, limits: &Limits) -> u64 {
    file_bytes.saturating_mul(MEMORY_PER_BYTE).max(MEMORY_MIN).min(limits.header_bytes)
}

fn walk(wire: &mut impl Buf, limits: &Limits, kind: Kind) -> Result<(), OnnxError> {
    let total = wire.remaining() as u64;
    let memory_max = memory_max(total, limits);
    let root = Open { kind, name: "", index: 0, end: total, children: [0; 27] };
    let mut scan = Scan {
        wire,
        limits,
        total,
        stack: vec![root],
        graphs_open: 0,
        nodes: 0,
        tensors: 0,
        entries: 0,
        memory: 0,
        memory_max,
    };
    while let Some((end, kind)) = scan.stack.last().map(|open| (open.end, open.kind)) {
        if scan.position() < end {
            scan.field(kind, end)?;
        } else {
            scan.graphs_open -= u32::from(kind == Kind::Graph);
            scan.stack.pop();
        }
    }
    Ok(())
}

impl<Wire: Buf> Scan<'_, Wire> {
    fn position(&self) -> u64 {
        self.total - self.wire.remaining() as u64
    }

    /// Takes one field of a message, or steps into it.
    fn field(&mut self, kind: Kind, end: u64) -> Result<(), OnnxError> {
        let start = self.position();
        let key = self.varint(end)?;
        // Field numbers have 29 bits and begin at 1.
        let number = u32::try_from(key >> 3).ok().filter(|number| (1..1 << 29).contains(number));
        let Some(number) = number else { return Err(self.malformed(start, "no field number")) };
        let field = kind.field(number);
        match (key & 7, field) {
            (3 | 4 | 6 | 7, _) => Err(self.malformed(start, "a group or unknown wire type")),
            (2, _) => {
                let length = self.varint(end)?;
                let at = self.position();
                if length > end - at {
                    return Err(self.malformed(start, "a length that passes the end of its message"));
                }
                match field {
                    Field::Message(child, name) => return self.enter(child, name, number, at + length),
                    Field::Name => self.text(length, "bytes of a name", self.limits.name_bytes)?,
                    Field::Text => self.text(length, "bytes of a text", self.limits.text_bytes)?,
                    Field::Other => {}
                }
                // A part of what remains, whose count is a `usize`.
                self.wire.advance(length as usize);
                Ok(())
            }
            (_, Field::Message(..) | Field::Name | Field::Text) => {
                Err(self.malformed(start, "a number where a message or text must be"))
            }
            (0, _) => self.varint(end).map(drop),
            (1, _) => self.fixed(8, start, end),
            _ => self.fixed(4, start, end),
        }
    }

    /// Steps into a message, and counts it.
    fn enter(&mut self, kind: Kind, name: &'static str, number: u32, end: u64) -> Result<(), OnnxError> {
        let limits = self.limits;
        if self.stack.len() >= DEPTH_MAX {
            return Err(OnnxError::Limit { what: "messages within messages", limit: DEPTH_MAX as u64 });
        }
        let index = match self.stack.last_mut() {
            Some(parent) => {
                let last = parent.children.len() - 1;
                let count = &mut parent.children[last.min(number as usize)];
                let index = *count;
                *count += 1;
                u64::from(index)
            }
            None => 0,
        };
        match kind {
            Kind::Graph => {
                self.graphs_open += 1;
                if self.graphs_open > limits.nesting {
                    return Err(OnnxError::Limit { what: "graphs within graphs", limit: limits.nesting.into() });
                }
            }
            Kind::Node => count(&mut self.nodes, "nodes", limits.nodes)?,
            Kind::Tensor => count(&mut self.tensors, "tensors", limits.tensors)?,
            Kind::Entry => count(&mut self.entries, "entries of metadata", limits.metadata_entries)?,
            _ => {}
        }
        // A vector has room for four at first, and for up to twice as many as it holds.
        self.weigh(kind.size() as u64 * if index == 0 { 4 } else { 2 })?;
        self.stack.push(Open { kind, name, index, end, children: [0; 27] });
        Ok(())
    }

    fn text(&mut self, length: u64, what: &'static str, limit: u64) -> Result<(), OnnxError> {
        if length > limit {
            return Err(OnnxError::Limit { what, limit });
        }
        // The text, what an allocation costs at least, and twice its place in a vector.
        self.weigh(length + 16 + 2 * size_of::<String>() as u64)
    }

    fn weigh(&mut self, bytes: u64) -> Result<(), OnnxError> {
        self.memory += bytes;
        if self.memory > self.memory_max {
            return Err(OnnxError::TooMuchMemory { file_bytes: self.total, limit: self.memory_max });
        }
        Ok(())
    }

    fn fixed(&mut self, size: u64, start: u64, end: u64) -> Result<(), OnnxError> {
        if size > end - self.position() {
            return Err(self.malformed(start, "a number that passes the end of its message"));
        }
        self.wire.advance(size as usize);
        Ok(())
    }

    /// An integer of up to 64 bits, seven to a byte, which ends before `end`.
    fn varint(&mut self, end: u64) -> Result<u64, OnnxError> {
        let start = self.position();
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            if self.position() >= end {
                return Err(self.malformed(start, "an integer that passes the end of its message"));
            }
            let byte = self.wire.get_u8();
            // The tenth byte has room for one bit.
            if shift == 63 && byte > 1 {
                break;
            }
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(self.malformed(start, "an integer of more than 64 bits"))
    }

    #[cold]
    fn malformed(&self, offset: u64, what: &'static str) -> OnnxError {
        let mut place = String::new();
        for open in &self.stack[1..] {
            if !place.is_empty() {
                place.push('.');
            }
            place.push_str(open.name);
            place.push_str(&format!("[{}]", open.index));
        }
        if place.is_empty() {
            place.push_str("the outermost message");
        }
        OnnxError::Malformed { place, offset, what }
    }
}

fn count(counter: &mut u64, what: &'static str, limit: u64) -> Result<(), OnnxError> {
    *counter += 1;
    if *counter > limit { Err(OnnxError::Limit { what, limit }) } else { Ok(()) }
}
