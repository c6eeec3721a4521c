//! Models that people ship, against what the `onnx` package reads in them (see `models.tsv`).
//!
//! `cargo xtask models --fetch` brings them. Without them each test says so, and checks nothing.
#![expect(unsafe_code, reason = "maps files that nobody writes")]

use std::collections::HashSet;

use allocation_counter::measure;
use flate2::Crc;
use stratal_formats::{
    Limits, ModelFile, Weights,
    onnx::{Model, TensorProto, messages::GraphProto},
};

use crate::fetched::fetched;

/// A line of the table.
#[derive(Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) bytes: u64,
    ir_version: i64,
    opset: Option<i64>,
    nodes: usize,
    operators: usize,
    pub(crate) tensors: usize,
    pub(crate) tensor_bytes: usize,
    crc: u32,
}

/// The rows of the table, by file.
pub(crate) fn table() -> Vec<(&'static str, Row)> {
    let lines = include_str!("models.tsv").lines().filter(|line| !line.starts_with('#'));
    let rows = lines.map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [file, bytes, ir_version, opset, nodes, operators, tensors, tensor_bytes, crc] = fields[..] else {
            panic!("{line}")
        };
        let row = Row {
            bytes: bytes.parse().unwrap(),
            ir_version: ir_version.parse().unwrap(),
            opset: Some(opset.parse().unwrap()),
            nodes: nodes.parse().unwrap(),
            operators: operators.parse().unwrap(),
            tensors: tensors.parse().unwrap(),
            tensor_bytes: tensor_bytes.parse().unwrap(),
            crc: u32::from_str_radix(crc, 16).unwrap(),
        };
        (file, row)
    });
    rows.collect()
}

/// What is found in a model.
pub(crate) fn row(bytes: u64, model: &Model) -> Row {
    let mut crc = Crc::new();
    let mut tensors = 0;
    each_tensor(model.graph(), &mut |tensor| {
        let tensor = model.tensor(tensor).unwrap();
        let (start, length) = (tensor.offset(), tensor.count());
        let size = tensor.dtype().size();
        crc.update(&tensor.buffer().read().unwrap()[start * size..(start + length) * size]);
        tensors += 1;
    });
    let operators: HashSet<_> = model.graph().nodes().map(|node| (node.domain(), node.op_type())).collect();
    Row {
        bytes,
        ir_version: model.proto().ir_version(),
        opset: model.opset(""),
        nodes: model.graph().nodes().count(),
        operators: operators.len(),
        tensors,
        tensor_bytes: crc.amount() as usize,
        crc: crc.sum(),
    }
}

fn each_tensor(graph: &GraphProto, visit: &mut impl FnMut(&TensorProto)) {
    graph.initializer.iter().for_each(&mut *visit);
    for attribute in graph.node.iter().flat_map(|node| &node.attribute) {
        attribute.t.iter().for_each(|tensor| visit(tensor));
        attribute.tensors.iter().for_each(&mut *visit);
        attribute.subgraphs().for_each(|graph| each_tensor(graph, visit));
    }
}

#[test]
fn every_model_reads_as_the_onnx_package_reads_it() {
    for (name, expected) in table() {
        let Some(path) = fetched(name) else { continue };
        let on_demand = ModelFile::open(&path).unwrap();
        let model = Model::of_file(&on_demand, &Limits::default()).unwrap();
        assert_eq!(row(on_demand.len(), &model), expected, "{name} on demand");
        let in_memory = ModelFile::of_vec(std::fs::read(&path).unwrap()).unwrap();
        let model = Model::of_file(&in_memory, &Limits::default()).unwrap();
        assert_eq!(row(in_memory.len(), &model), expected, "{name} in memory");
        // SAFETY: nobody writes fetched files; a fetch puts another in their place.
        let mapped = unsafe { ModelFile::map(&path) }.unwrap();
        let model = Model::of_file(&mapped, &Limits::default()).unwrap();
        assert_eq!(row(mapped.len(), &model), expected, "{name} mapped");
    }
}

#[test]
fn opening_a_model_takes_the_memory_of_its_messages_and_none_for_its_tensors() {
    for (name, expected) in table() {
        let Some(path) = fetched(name) else { continue };
        // SAFETY: nobody writes fetched files; a fetch puts another in their place.
        for file in [ModelFile::open(&path).unwrap(), unsafe { ModelFile::map(&path) }.unwrap()] {
            let memory = measure(|| drop(Weights::of_file(file, &Limits::default()).unwrap())).bytes_max;
            let messages = expected.bytes - expected.tensor_bytes as u64;
            assert!(memory < 64 * messages, "{name}: {memory} for {messages} beside tensors");
            // A large model is large by its tensors.
            assert!(expected.bytes < 4 << 20 || memory < expected.bytes, "{name}: {memory}");
        }
    }
}
