//! The tensors of a model as weights.

use std::path::Path;

use stratal_formats::{
    Format, Limits, ModelFile, Weights,
    onnx::{
        Model, TensorFields, TensorProto,
        messages::{AttributeProto, AttributeType, GraphProto, ModelProto, SparseTensorProto},
    },
};
use stratal_tensor::base::DType;

use crate::{
    fetched::fetched,
    models::table,
    sample::{self, attribute, external, header, model, node, raw},
};

fn weights(proto: ModelProto) -> Result<Weights, String> {
    let bytes = Model::new(proto).to_vec().unwrap();
    Weights::of_file(ModelFile::of_vec(bytes).unwrap(), &Limits::default()).map_err(|error| error.to_string())
}

fn of_initializers(initializer: Vec<TensorProto>) -> Result<Weights, String> {
    weights(model(GraphProto { initializer, ..GraphProto::default() }))
}

/// A line for each weight: what is known without its elements.
fn listed(weights: &Weights) -> String {
    let line = |weight: &stratal_formats::Weight| {
        let file = weight.place().file().unwrap_or("-");
        let place = weight.place().range();
        format!("{} {} {:?} {file} {place:?}", weight.name(), weight.element_type(), weight.extents())
    };
    weights.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn initializers_and_constants_are_weights_and_those_of_subgraphs_have_its_place_in_front() {
    let weights = weights(sample::everything()).unwrap();
    assert_eq!(weights.format(), Format::Onnx);
    insta::assert_snapshot!(listed(&weights), @r#"
    raw float16 [2, 1] - 767..771
    typed int8 [2] - 0..0
    empty float64 [0, 3] - 0..0
    far float32 [1] far.bin 64..68
    sparse sparse [9] - 0..0
    y/then_branch/w float32 [1] - 161..165
    y/then_branch/c int16 [2] - 117..121
    y/graphs.0/w float32 [1] - 301..305
    y/graphs.0/c int16 [2] - 257..261
    y/graphs.1/w float32 [1] - 427..431
    y/graphs.1/c int16 [2] - 383..387
    "#);
    let constant = weights.tensor("y/graphs.1/c").unwrap();
    assert_eq!(constant.to_vec::<i16>().unwrap(), [1, 2]);
    assert_eq!(weights.tensor("typed").unwrap().to_vec::<i8>().unwrap(), [-1, 127]);
    assert_eq!(weights.tensor_as("raw", DType::F32).unwrap().to_vec::<f32>().unwrap(), [1.0, -2.0]);
    assert_eq!(weights.tensor("empty").unwrap().count(), 0);
    let errors = ["sparse", "far", "none"].map(|name| weights.tensor(name).unwrap_err().to_string());
    insta::assert_snapshot!(errors.join("\n"), @r#"
    the elements of tensor "sparse" are "sparse", which no dtype here stores
    tensor "far": the file names "far.bin", but it is in memory and lies in no folder
    there is no tensor "none" among 11
    "#);
}

#[test]
fn what_a_model_says_beside_its_tensors_is_metadata() {
    let weights = weights(sample::everything()).unwrap();
    let lines: Vec<_> = weights.metadata().map(|(key, value)| format!("{key}: {value}")).collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    ir_version: 8
    model_version: 3
    producer_name: "tests"
    producer_version: "1"
    domain: "com.example"
    doc_string: "a model"
    opset_import.ai.onnx: 17
    opset_import.com.example: 1
    graph.name: "main"
    graph.nodes: 4
    graph.input.x: "float32 [batch, 3, ?]"
    graph.output.y: "optional sequence of map from STRING to float32"
    function.com.example.Twice.one.nodes: 1
    metadata_props.author: "nobody"
    metadata_props.: ""
    "#);
}

#[test]
fn dtypes_that_are_not_supported_are_listed_by_name() {
    let of_code =
        |name: &str, code| TensorProto::from(TensorFields { data_type: Some(code), ..header(name, DType::F32, &[3]) });
    let weights = of_initializers(vec![of_code("a", 22), of_code("b", 8), of_code("c", 99)]).unwrap();
    insta::assert_snapshot!(listed(&weights), @r#"
    a INT4 [3] - 0..0
    b STRING [3] - 0..0
    c unknown ONNX type code 99 [3] - 0..0
    "#);
    let error = weights.tensor("a").unwrap_err().to_string();
    assert_eq!(error, "the elements of tensor \"a\" are \"INT4\", which no dtype here stores");
}

#[test]
fn malformed_tensors_are_listed_and_are_errors_when_asked_for() {
    let weights = of_initializers(vec![
        raw("short", DType::F32, &[2], &[0; 7]),
        TensorFields { int32_data: vec![300], ..header("wide", DType::U8, &[1]) }.into(),
        raw("large", DType::U8, &[1 << 40], &[0]),
        external("nowhere", DType::U8, &[1], &[]),
        TensorProto {
            fields: TensorFields { float_data: vec![1.0], ..header("both", DType::F32, &[1]) },
            ..raw("", DType::F32, &[1], &[0; 4])
        },
    ])
    .unwrap();
    let errors: Vec<_> = weights.names().map(|name| weights.tensor(name).unwrap_err().to_string()).collect();
    insta::assert_snapshot!(errors.join("\n"), @r#"
    tensor "short": 7 bytes do not fill shape [2] of float32, which takes 8
    tensor "wide": element 0 is 300, which is no uint8
    tensor "large": extent 1099511627776 of axis 0 is above the limit of 2147483647
    tensor "nowhere": the elements are in another file, but no location is given
    tensor "both": there are elements in float_data and in raw_data
    "#);
}

#[test]
fn what_cannot_be_listed_is_an_error() {
    let one = || raw("w", DType::U8, &[1], &[1]);
    let constant = AttributeProto { t: Some(Box::new(one())), ..attribute("value", AttributeType::Tensor) };
    let graph = GraphProto {
        initializer: vec![one()],
        node: vec![node("Constant", &[], &["w"], vec![constant])],
        ..GraphProto::default()
    };
    let sparse = GraphProto {
        sparse_initializer: vec![SparseTensorProto { dims: vec![-5], ..SparseTensorProto::default() }],
        ..GraphProto::default()
    };
    let errors = [
        of_initializers(vec![one(), one()]).unwrap_err(),
        weights(model(graph)).unwrap_err(),
        of_initializers(vec![header("w", DType::U8, &[2, -3]).into()]).unwrap_err(),
        weights(model(sparse)).unwrap_err(),
    ];
    insta::assert_snapshot!(errors.join("\n"), @r#"
    two tensors are named "w"
    two tensors are named "w"
    tensor "w": extent -3 of axis 1 is negative
    tensor "": extent -5 of axis 0 is negative
    "#);
}

#[test]
fn weights_in_other_files_lie_there() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("w.bin"), [0, 1, 2, 3, 4, 5, 6, 7]).unwrap();
    let entries = |offset| [("location", "w.bin"), ("offset", offset), ("length", "2")];
    let graph = GraphProto {
        initializer: vec![
            external("first", DType::U8, &[2], &entries("2")),
            external("second", DType::U8, &[2], &entries("6")),
            external("past", DType::U8, &[2], &entries("7")),
            external("gone", DType::U8, &[2], &[("location", "gone.bin")]),
            external("out", DType::U8, &[2], &[("location", "../out.bin")]),
        ],
        ..GraphProto::default()
    };
    let path = folder.path().join("model.onnx");
    Model::new(model(graph)).write(&path).unwrap();
    let weights = Weights::open(&path).unwrap();
    insta::assert_snapshot!(listed(&weights), @r#"
    first uint8 [2] w.bin 2..4
    second uint8 [2] w.bin 6..8
    past uint8 [2] w.bin 7..9
    gone uint8 [2] gone.bin 0..2
    out uint8 [2] ../out.bin 0..2
    "#);
    assert_eq!(weights.files().len(), 2);
    assert_eq!(weights.tensor("second").unwrap().to_vec::<u8>().unwrap(), [6, 7]);
    let errors = ["past", "gone", "out"].map(|name| weights.tensor(name).unwrap_err().to_string());
    insta::assert_snapshot!(errors.join("\n"), @r#"
    tensor "past": 2 bytes at 7 pass the end of a file of 8
    tensor "gone": cannot open "gone.bin": No such file or directory (os error 2)
    tensor "out": the file names "../out.bin", which is not beneath its folder: it has a `..`
    "#);
    let limits = Limits { shards: 1, ..Limits::default() };
    let error = Weights::of_file(ModelFile::open(&path).unwrap(), &limits).unwrap_err().to_string();
    assert_eq!(error, "more other files than the limit of 1");
}

#[test]
fn real_models_list_their_weights_and_read_each() {
    for (name, expected) in table() {
        let Some(path) = fetched(name) else { continue };
        let weights = Weights::open(Path::new(&path)).unwrap();
        assert!(!weights.is_empty() && weights.len() <= expected.tensors, "{name}");
        let bytes: usize = weights
            .iter()
            .map(|weight| {
                let tensor = weights.tensor(weight.name()).unwrap();
                tensor.count() * tensor.dtype().size()
            })
            .sum();
        // Beside them there are only the values of attributes of other nodes, which are small.
        assert!((expected.tensor_bytes - 10_000..=expected.tensor_bytes).contains(&bytes), "{name}: {bytes}");
    }
}
