//! A small model with everything that messages can hold.

use stratal_formats::onnx::{
    RawData, TensorFields, TensorProto,
    messages::{
        AttributeProto, AttributeType, Dimension, DimensionValue, ElementType, FunctionProto, GraphProto, MapType,
        ModelProto, NodeProto, OperatorSetIdProto, SparseTensorProto, StringStringEntryProto, TensorAnnotation,
        TensorShapeProto, TensorType, TypeProto, TypeValue, ValueInfoProto,
    },
};
use stratal_tensor::base::DType;

/// A tensor without elements yet.
pub(crate) fn header(name: &str, dtype: DType, dims: &[i64]) -> TensorFields {
    TensorFields {
        name: Some(name.into()),
        data_type: Some(dtype.onnx_code()),
        dims: dims.to_vec(),
        ..TensorFields::default()
    }
}

/// A tensor of these bytes.
pub(crate) fn raw(name: &str, dtype: DType, dims: &[i64], bytes: &[u8]) -> TensorProto {
    TensorProto { fields: header(name, dtype, dims), raw_data: Some(RawData::from(bytes.to_vec())) }
}

/// A tensor whose elements are in another file.
pub(crate) fn external(name: &str, dtype: DType, dims: &[i64], entries: &[(&str, &str)]) -> TensorProto {
    let external_data = entries.iter().map(|(key, value)| entry(key, value)).collect();
    TensorFields { data_location: Some(1), external_data, ..header(name, dtype, dims) }.into()
}

/// A model of this graph.
pub(crate) fn model(graph: GraphProto) -> ModelProto {
    ModelProto { ir_version: Some(8), opset_import: vec![opset("", 17)], graph: Some(graph), ..ModelProto::default() }
}

/// A model that uses every field.
pub(crate) fn everything() -> ModelProto {
    let constant = AttributeProto {
        t: Some(Box::new(raw("", DType::I16, &[2], &[1, 0, 2, 0]))),
        tensors: vec![raw("listed", DType::U8, &[1], &[7])],
        ..attribute("value", AttributeType::Tensor)
    };
    let inner = GraphProto {
        name: text("inner"),
        node: vec![node("Constant", &[], &["c"], vec![constant])],
        output: vec![value("c", tensor_type(5, &[]))],
        initializer: vec![raw("w", DType::F32, &[1], &[0, 0, 128, 63])],
        ..GraphProto::default()
    };
    let attributes = vec![
        AttributeProto { g: Some(Box::new(inner.clone())), ..attribute("then_branch", AttributeType::Graph) },
        AttributeProto { graphs: vec![inner.clone(), inner], ..attribute("graphs", AttributeType::Graphs) },
        AttributeProto { f: Some(-0.5), floats: vec![1.0, 2.0], ..attribute("f", AttributeType::Floats) },
        AttributeProto { i: Some(-3), ints: vec![i64::MIN, 0, i64::MAX], ..attribute("i", AttributeType::Ints) },
        AttributeProto {
            s: Some(b"\xff\xfe".to_vec()),
            strings: vec![vec![], b"NOTSET".to_vec()],
            doc_string: text("a text"),
            ref_attr_name: text("outer"),
            ..attribute("s", AttributeType::Strings)
        },
        AttributeProto {
            tp: Some(Box::new(nested_type())),
            type_protos: vec![nested_type(), tensor_type(1, &[])],
            sparse_tensor: Some(Box::new(sparse("s"))),
            sparse_tensors: vec![sparse("t")],
            ..attribute("types", AttributeType::TypeProtos)
        },
    ];
    let node = NodeProto {
        name: text("branch"),
        doc_string: text("a node"),
        domain: text("com.example"),
        overload: text("two"),
        metadata_props: vec![entry("key", "value")],
        ..node("If", &["x", ""], &["y", ""], attributes)
    };
    let graph = GraphProto {
        name: text("main"),
        doc_string: text("a graph"),
        node: vec![node],
        initializer: vec![
            raw("raw", DType::F16, &[2, 1], &[0, 60, 0, 192]),
            TensorFields { int32_data: vec![-1, 127], ..header("typed", DType::I8, &[2]) }.into(),
            TensorFields { doc_string: text("none"), ..header("empty", DType::F64, &[0, 3]) }.into(),
            external("far", DType::F32, &[1], &[("location", "far.bin"), ("offset", "64"), ("length", "4")]),
        ],
        sparse_initializer: vec![sparse("sparse")],
        input: vec![value("x", tensor_type(1, &[named("batch"), fixed(3), Dimension::default()]))],
        output: vec![value("y", nested_type())],
        value_info: vec![value("z", TypeProto { denotation: text("IMAGE"), ..tensor_type(1, &[]) })],
        quantization_annotation: vec![TensorAnnotation {
            tensor_name: text("x"),
            quant_parameter_tensor_names: vec![entry("SCALE_TENSOR", "raw")],
        }],
        metadata_props: vec![entry("graph", "metadata")],
    };
    let function = FunctionProto {
        name: text("Twice"),
        domain: text("com.example"),
        overload: text("one"),
        input: vec!["a".into()],
        output: vec!["b".into()],
        attribute: vec!["alpha".into()],
        attribute_proto: vec![AttributeProto { f: Some(2.0), ..attribute("beta", AttributeType::Float) }],
        node: vec![self::node("Add", &["a", "a"], &["b"], vec![])],
        opset_import: vec![opset("", 17)],
        value_info: vec![value("b", tensor_type(1, &[]))],
        doc_string: text("a function"),
        metadata_props: vec![entry("function", "metadata")],
    };
    ModelProto {
        producer_name: text("tests"),
        producer_version: text("1"),
        domain: text("com.example"),
        model_version: Some(3),
        doc_string: text("a model"),
        metadata_props: vec![entry("author", "nobody"), entry("", "")],
        functions: vec![function],
        opset_import: vec![opset("", 17), opset("com.example", 1)],
        ..model(graph)
    }
}

/// A node without a name.
pub(crate) fn node(operator: &str, input: &[&str], output: &[&str], attribute: Vec<AttributeProto>) -> NodeProto {
    let names = |names: &[&str]| names.iter().copied().map(String::from).collect();
    NodeProto { op_type: text(operator), input: names(input), output: names(output), attribute, ..NodeProto::default() }
}

/// An attribute without a value yet.
pub(crate) fn attribute(name: &str, kind: AttributeType) -> AttributeProto {
    AttributeProto { name: text(name), r#type: Some(kind.into()), ..AttributeProto::default() }
}

pub(crate) fn opset(domain: &str, version: i64) -> OperatorSetIdProto {
    OperatorSetIdProto { domain: text(domain), version: Some(version) }
}

pub(crate) fn text(text: &str) -> Option<String> {
    Some(text.into())
}

fn entry(key: &str, value: &str) -> StringStringEntryProto {
    StringStringEntryProto { key: text(key), value: text(value) }
}

fn sparse(name: &str) -> SparseTensorProto {
    SparseTensorProto {
        values: Some(raw(name, DType::F32, &[1], &[0, 0, 0, 64])),
        indices: Some(TensorFields { int64_data: vec![5], ..header("", DType::I64, &[1]) }.into()),
        dims: vec![9],
    }
}

fn value(name: &str, r#type: TypeProto) -> ValueInfoProto {
    ValueInfoProto {
        name: text(name),
        r#type: Some(r#type),
        doc_string: text("a value"),
        metadata_props: vec![entry("value", "metadata")],
    }
}

fn tensor_type(code: i32, dims: &[Dimension]) -> TypeProto {
    let shape = Some(TensorShapeProto { dim: dims.to_vec() });
    of_type(TypeValue::TensorType(TensorType { elem_type: Some(code), shape }))
}

/// An optional sequence of maps from texts to sparse tensors.
fn nested_type() -> TypeProto {
    let sparse = of_type(TypeValue::SparseTensorType(TensorType { elem_type: Some(1), shape: None }));
    let map = of_type(TypeValue::MapType(MapType { key_type: Some(8), value_type: Some(Box::new(sparse)) }));
    let sequence = of_type(TypeValue::SequenceType(ElementType { elem_type: Some(Box::new(map)) }));
    of_type(TypeValue::OptionalType(ElementType { elem_type: Some(Box::new(sequence)) }))
}

fn of_type(value: TypeValue) -> TypeProto {
    TypeProto { value: Some(value), denotation: None }
}

fn named(name: &str) -> Dimension {
    Dimension { value: Some(DimensionValue::DimParam(name.into())), denotation: text("DATA_BATCH") }
}

fn fixed(extent: i64) -> Dimension {
    Dimension { value: Some(DimensionValue::DimValue(extent)), denotation: None }
}
