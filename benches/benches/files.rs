//! Opening files and listing their tensors, beside reading all of their bytes, and beside the crate `safetensors`.
//!
//! The files are made here: one of the size of a small language model's weights, and a model of many nodes in ONNX. Both are in
//! the page cache, so what is measured is the work and not the disk.
#![expect(unsafe_code, reason = "maps files that this benchmark alone knows")]

use std::{hint::black_box, path::Path};

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use stratal_formats::{
    Limits, ModelFile, Weights, npy,
    onnx::{
        Model, TensorProto,
        messages::{GraphProto, ModelProto, NodeProto},
    },
    safetensors as format,
};
use stratal_tensor::Tensor;
use stratal_tensor_base::DType;

criterion_group! {
    name = files;
    config = stratal_benches::criterion();
    targets = open
}
criterion_main!(files);

/// Layers of two matrices and two vectors, 88 MiB in all.
fn tensors() -> Vec<(String, Tensor)> {
    let matrix = Tensor::ones(&[1024, 1024], DType::F32).expect("4 MiB can be had");
    let vector = Tensor::ones(&[1024], DType::F32).expect("4 KiB can be had");
    let layer = |index| {
        let named = |name: &str, tensor: &Tensor| (format!("encoder.layer.{index}.{name}"), tensor.clone());
        [
            named("attention.weight", &matrix),
            named("attention.bias", &vector),
            named("output.weight", &matrix),
            named("output.bias", &vector),
        ]
    };
    (0..11).flat_map(layer).collect()
}

/// The tensors as initializers, and a chain of nodes as long as that of a real model.
fn model(tensors: &[(String, Tensor)]) -> Model {
    let initializer =
        tensors.iter().map(|(name, tensor)| TensorProto::of_tensor(name, tensor).expect("it can be read"));
    let node = |index: usize| NodeProto {
        name: Some(format!("/encoder/layer/Add_{index}")),
        op_type: Some("Add".into()),
        input: vec![format!("/encoder/layer/Add_{index}_output_0"), tensors[index % tensors.len()].0.clone()],
        output: vec![format!("/encoder/layer/Add_{}_output_0", index + 1)],
        ..NodeProto::default()
    };
    let graph =
        GraphProto { node: (0..3600).map(node).collect(), initializer: initializer.collect(), ..GraphProto::default() };
    Model::new(ModelProto { graph: Some(graph), ..ModelProto::default() })
}

/// Everything that is known without an element.
fn list(file: ModelFile) -> u64 {
    let weights = Weights::of_file(file, &Limits::default()).expect("the file was written here");
    weights.iter().map(|weight| weight.place().bytes() + weight.name().len() as u64).sum()
}

/// What the crate `safetensors` makes of a mapped file.
fn list_by_peer(bytes: &[u8]) -> usize {
    let tensors = safetensors::SafeTensors::deserialize(bytes).expect("the file was written here");
    tensors.iter().map(|(name, view)| name.len() + view.data().len()).sum()
}

fn mapped(path: &Path) -> ModelFile {
    // SAFETY: the file is in a folder that this process made, and is written no more.
    unsafe { ModelFile::map(path) }.expect("it can be mapped")
}

fn open(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = |name: &str| folder.path().join(name);
    let tensors = tensors();
    let named = || tensors.iter().map(|(name, tensor)| (name.as_str(), tensor));
    format::write(path("weights.safetensors"), named(), []).expect("it can be written");
    npy::write_archive(path("weights.npz"), named()).expect("it can be written");
    model(&tensors).write(path("model.onnx")).expect("it can be written");
    drop(tensors);

    for name in ["weights.safetensors", "weights.npz", "model.onnx"] {
        let path = path(name);
        // What any reader takes that has all of a file in memory before it begins.
        let read = || std::fs::read(black_box(&path)).expect("it can be read");

        let mut group = criterion.benchmark_group("open_mapped");
        group.bench_function(BenchmarkId::new("stratal", name), |bencher| {
            bencher.iter(|| list(mapped(black_box(&path))));
        });
        group.bench_function(BenchmarkId::new("read", name), |bencher| bencher.iter(read));
        if name.ends_with(".safetensors") {
            group.bench_function(BenchmarkId::new("safetensors", name), |bencher| {
                bencher.iter(|| {
                    let file = mapped(black_box(&path));
                    list_by_peer(&file.bytes(0..file.len()).expect("a window of the file"))
                });
            });
        }
        group.finish();

        let mut group = criterion.benchmark_group("open_on_demand");
        group.bench_function(BenchmarkId::new("stratal", name), |bencher| {
            bencher.iter(|| list(ModelFile::open(black_box(&path)).expect("it can be opened")));
        });
        group.bench_function(BenchmarkId::new("read", name), |bencher| bencher.iter(read));
        group.finish();
    }
}
