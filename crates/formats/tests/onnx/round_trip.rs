//! Models written and read again.

use proptest::prelude::*;
use prost::Message as _;
use stratal_formats::{
    Limits, ModelFile,
    onnx::{
        Model, TensorProto,
        messages::{GraphProto, ModelProto},
    },
};
use stratal_tensor::{
    Tensor,
    base::{DType, Shape},
    memory::Buffer,
};

use crate::{fetched::fetched, models::table, sample};

fn reread(bytes: Vec<u8>) -> Model {
    Model::of_file(&ModelFile::of_vec(bytes).unwrap(), &Limits::default()).unwrap()
}

#[test]
fn a_model_with_everything_comes_back_as_it_was() {
    let proto = sample::everything();
    let written = Model::new(proto.clone()).to_vec().unwrap();
    assert_eq!(ModelProto::decode(&written[..]).unwrap(), proto);
    let model = reread(written.clone());
    assert_eq!(model.to_vec().unwrap(), written);
    assert_eq!(model.opset("ai.onnx"), Some(17));
    assert_eq!(model.opset("com.example"), Some(1));
    assert_eq!(model.opset("com.microsoft"), None);
    assert_eq!(model.functions().len(), 1);
    assert_eq!(model.graph().nodes().map(|node| node.label()).collect::<Vec<_>>(), ["branch", "c", "c", "c"]);
}

#[test]
fn a_model_may_be_written_over_the_file_it_is_open_from() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.onnx");
    Model::new(sample::everything()).write(&path).unwrap();
    let before = std::fs::read(&path).unwrap();
    let model = Model::open(&path).unwrap();
    model.write(&path).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), before);
    // Its tensors are still those of the file that it was opened from.
    let halves = model.tensor(&model.graph().initializer[0]).unwrap();
    assert_eq!(halves.cast(DType::F32).unwrap().to_vec::<f32>().unwrap(), [1.0, -2.0]);
}

#[test]
fn a_folder_that_is_not_there_is_an_error_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none").join("model.onnx");
    let error = Model::new(ModelProto::default()).write(&path).unwrap_err().to_string();
    assert!(error.starts_with("cannot write ") && error.contains("model.onnx"), "{error}");
}

#[test]
fn real_models_come_back_with_the_same_messages_and_bytes() {
    for (name, expected) in table() {
        let Some(path) = fetched(name) else { continue };
        let model = Model::open(path).unwrap();
        let written = model.to_vec().unwrap();
        let again = reread(written.clone());
        assert_eq!(crate::models::row(expected.bytes, &again), expected, "{name}");
        assert_eq!(again.to_vec().unwrap(), written, "{name}");
    }
}

proptest! {
    #[test]
    fn tensors_of_any_dtype_and_shape_come_back(
        dtype in proptest::sample::select(&DType::ALL[..]),
        extents in prop::collection::vec(0..4_i64, 0..5),
        seed: [u8; 16],
        name: String,
    ) {
        let shape = Shape::new(&extents).unwrap();
        let is_bool = dtype == DType::Bool;
        let bytes: Vec<u8> = seed.iter().cycle().map(|&byte| if is_bool { byte & 1 } else { byte })
            .take(shape.bytes(dtype).unwrap()).collect();
        let pool_bytes = stratal_tensor::TensorOptions::new(dtype).empty_of(shape).unwrap();
        pool_bytes.buffer().write().unwrap()[..bytes.len()].copy_from_slice(&bytes);
        let proto = TensorProto::of_tensor(&name, &pool_bytes).unwrap();
        let graph = GraphProto { initializer: vec![proto], ..GraphProto::default() };
        let model = reread(Model::new(sample::model(graph)).to_vec().unwrap());
        let read = &model.graph().initializer[0];
        prop_assert_eq!(read.name(), &name);
        let tensor = model.tensor(read).unwrap();
        prop_assert_eq!((tensor.dtype(), tensor.shape()), (dtype, &shape));
        let start = tensor.offset() * dtype.size();
        prop_assert_eq!(&tensor.buffer().read().unwrap()[start..start + bytes.len()], &bytes[..]);
    }
}

#[test]
fn views_are_written_in_their_logical_order() {
    let matrix = Tensor::from_slice(&[1_i32, 2, 3, 4, 5, 6], &[2, 3]).unwrap();
    let view = matrix.t().unwrap().slice(0, Some(1), None, 1).unwrap();
    let proto = TensorProto::of_tensor("view", &view).unwrap();
    assert_eq!(proto.tensor().unwrap().to_vec::<i32>().unwrap(), [2, 5, 3, 6]);
    let window = Buffer::from_vec(vec![0_u8, 1, 2, 3]).unwrap();
    let window = Tensor::from_buffer(window, 2, Shape::new(&[2]).unwrap(), DType::U8).unwrap();
    assert_eq!(TensorProto::of_tensor("window", &window).unwrap().tensor().unwrap().to_vec::<u8>().unwrap(), [2, 3]);
}

#[test]
fn any_true_byte_is_written_as_one() {
    // As a mapped file may have them.
    let bytes = Buffer::from_vec(vec![0_u8, 1, 2, 255]).unwrap();
    let truths = Tensor::from_buffer(bytes, 0, Shape::new(&[4]).unwrap(), DType::Bool).unwrap();
    let proto = TensorProto::of_tensor("truths", &truths).unwrap();
    assert_eq!(proto.raw_data.unwrap().in_memory().unwrap()[..], [0, 1, 1, 1]);
}
