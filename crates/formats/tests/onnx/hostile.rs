//! Files that want to do harm: each is answered, with little memory, by a model or by an error.

use allocation_counter::measure;
use proptest::prelude::*;
use stratal_formats::{
    Error, Limits, ModelFile, Weights,
    onnx::{Model, TensorProto, messages::GraphProto},
};

use crate::sample;

/// What reading may take beside the file: a part for each of its bytes, and what errors, threads' lists and small models need.
fn memory_max(bytes: usize) -> u64 {
    (64 * bytes as u64).max(1 << 20) + (1 << 16)
}

/// Reads a model and all of its tensors, and writes it, within the memory that is allowed.
fn read(bytes: &[u8]) -> Result<(), Error> {
    let file = ModelFile::of_vec(bytes.to_vec()).unwrap();
    let mut result = Ok(());
    let allocated = measure(|| result = Model::of_file(&file, &Limits::default()).map(|model| use_up(&model)));
    assert!(allocated.bytes_max <= memory_max(bytes.len()), "{} for {} bytes", allocated.bytes_max, bytes.len());
    let mut weights = None;
    let allocated = measure(|| weights = Weights::of_file(file, &Limits::default()).ok());
    let limit = 3 * memory_max(bytes.len());
    assert!(allocated.bytes_max <= limit, "{} for {} bytes as weights", allocated.bytes_max, bytes.len());
    if let Some(weights) = weights {
        weights.names().for_each(|name| drop(weights.tensor(name)));
    }
    result
}

fn use_up(model: &Model) {
    let tensors = |graph: &GraphProto| {
        for tensor in &graph.initializer {
            let _ = model.tensor(tensor);
        }
    };
    tensors(model.graph());
    for node in model.graph().nodes() {
        node.label();
        for attribute in &node.attribute {
            attribute.t.iter().for_each(|tensor| drop(model.tensor(tensor)));
            attribute.subgraphs().for_each(tensors);
        }
    }
    model.to_vec().unwrap();
}

fn error(bytes: &[u8]) -> String {
    read(bytes).unwrap_err().to_string()
}

/// A varint of as many bytes as it needs.
fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// A field with a length.
fn field(number: u64, content: &[u8]) -> Vec<u8> {
    [&varint(number << 3 | 2)[..], &varint(content.len() as u64), content].concat()
}

/// So many graphs, each in an attribute of a node of the one around it.
fn graphs_in_graphs(depth: usize) -> Vec<u8> {
    let inner = |graph: Vec<u8>, _| field(1, &field(5, &field(6, &graph)));
    field(7, &(1..depth).fold(Vec::new(), inner))
}

/// A graph whose one value is a sequence of sequences, so many deep.
fn sequences_in_sequences(depth: usize) -> Vec<u8> {
    let inner = |r#type: Vec<u8>, _| field(4, &field(1, &r#type));
    field(7, &field(11, &field(2, &(0..depth).fold(Vec::new(), inner))))
}

#[test]
fn a_file_cut_at_any_byte_is_answered() {
    let whole = Model::new(sample::everything()).to_vec().unwrap();
    read(&whole).unwrap();
    let graph_only = field(7, &whole);
    for end in 0..whole.len() {
        let _ = read(&whole[..end]);
        // In a message of which the length says more, each cut is an error.
        let in_message = &graph_only[..graph_only.len() - whole.len() + end];
        assert!(read(in_message).is_err(), "cut at {end}");
    }
}

#[test]
fn each_byte_of_a_file_may_be_anything() {
    let mut bytes = Model::new(sample::everything()).to_vec().unwrap();
    for position in 0..bytes.len() {
        let byte = bytes[position];
        for other in [0, 0xff, byte ^ 1, byte ^ 0x80] {
            bytes[position] = other;
            let _ = read(&bytes);
        }
        bytes[position] = byte;
    }
}

#[test]
fn graphs_may_be_nested_as_deep_as_is_decoded_and_no_deeper() {
    read(&graphs_in_graphs(1)).unwrap();
    read(&graphs_in_graphs(32)).unwrap();
    for depth in [33, 34, 100, 3000] {
        assert_eq!(error(&graphs_in_graphs(depth)), "more messages within messages than the limit of 96");
    }
    let limits = Limits { nesting: 3, ..Limits::default() };
    let nested = |depth| {
        let file = ModelFile::of_vec(graphs_in_graphs(depth)).unwrap();
        Model::of_file(&file, &limits).map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(nested(3), Ok(()));
    assert_eq!(nested(4), Err("more graphs within graphs than the limit of 3".into()));
}

#[test]
fn types_may_be_nested_as_deep_as_is_decoded_and_no_deeper() {
    read(&sequences_in_sequences(46)).unwrap();
    for depth in [47, 100, 3000] {
        assert_eq!(error(&sequences_in_sequences(depth)), "more messages within messages than the limit of 96");
    }
}

#[test]
fn empty_messages_take_no_more_memory_than_is_allowed() {
    // Two bytes each, of nodes, tensors, values, annotations, sparse tensors and metadata.
    for (number, is_large) in [(1, true), (5, true), (11, true), (14, false), (15, true), (16, false)] {
        let empty = field(number, &[]);
        assert!(read(&field(7, &empty.repeat(100))).is_ok());
        let many = read(&field(7, &empty.repeat(1 << 18)));
        let text = many.map_or_else(|error| error.to_string(), |()| "read".into());
        assert_eq!(text.contains("would take more than"), is_large, "field {number}: {text}");
    }
    let attributes = field(7, &field(1, &field(5, &[]).repeat(1 << 18)));
    assert!(error(&attributes).contains("would take more than"));
    // Each in a message of its own, so that each list has room for four.
    let apart = field(7, &field(1, &field(5, &[])).repeat(1 << 18));
    assert!(error(&apart).contains("would take more than"));
    let names = field(7, &field(1, &field(1, b"").repeat(1 << 20)));
    let _ = read(&names);
}

#[test]
fn numbers_of_one_byte_take_what_their_elements_take() {
    // Packed and one by one, of int64: 8 bytes for each byte, and room for up to as many again.
    let packed = field(7, &field(5, &field(7, &[0; 1 << 20])));
    read(&packed).unwrap();
    let one_by_one = field(7, &field(5, &[7 << 3, 0].repeat(1 << 19)));
    read(&one_by_one).unwrap();
}

#[test]
fn limits_are_kept() {
    let bytes = Model::new(sample::everything()).to_vec().unwrap();
    let file = ModelFile::of_vec(bytes).unwrap();
    let errors = [
        Limits { nodes: 4, ..Limits::default() },
        Limits { tensors: 10, ..Limits::default() },
        Limits { metadata_entries: 8, ..Limits::default() },
        Limits { name_bytes: 8, ..Limits::default() },
        Limits { text_bytes: 4, ..Limits::default() },
        Limits { nesting: 1, ..Limits::default() },
        Limits { header_bytes: 1000, ..Limits::default() },
    ]
    .map(|limits| Model::of_file(&file, &limits).unwrap_err().to_string());
    insta::assert_snapshot!(errors.join("\n"), @r#"
    more nodes than the limit of 4
    more tensors than the limit of 10
    more entries of metadata than the limit of 8
    more bytes of a name than the limit of 8
    more bytes of a text than the limit of 4
    more graphs within graphs than the limit of 1
    a file of 1345 bytes would take more than 1000 bytes of memory, its tensors not counted
    "#);
}

#[test]
fn malformed_messages_are_errors_that_say_where() {
    let node = |content: &[u8]| field(7, &[field(1, &[]), field(1, content)].concat());
    let files: [(&str, Vec<u8>); 17] = [
        ("empty", vec![]),
        ("no graph", field(2, b"nobody")),
        ("text", b"Not a model, but a text.".to_vec()),
        ("zeros", vec![0; 64]),
        ("ones", vec![0xff; 64]),
        ("length past the end", vec![0x3a, 0x05, 0x0a]),
        ("length past the message", node(&[0x2a, 0x05, 0x0a, 0x01])),
        ("length of 2^63", node(&[&[0x2a][..], &varint(1 << 63)].concat())),
        ("length of 2^64-1", node(&[&[0x2a][..], &varint(u64::MAX)].concat())),
        ("length of 65 bits", node(&[&[0x2a][..], &[0xff; 9], &[0x02]].concat())),
        ("length of eleven bytes", node(&[&[0x2a][..], &[0x80; 10], &[0x00]].concat())),
        ("field 0", node(&[0x02, 0x00])),
        ("field of 30 bits", node(&varint(1 << 32))),
        ("group", node(&[0x0b, 0x0c])),
        ("wire type 7", node(&[0x0f, 0x00])),
        ("a number for a name", node(&[0x08, 0x00])),
        ("no UTF-8", node(&field(1, &[0xff]))),
    ];
    let errors = files.map(|(name, bytes)| format!("{name}: {}", error(&bytes)));
    insta::assert_snapshot!(errors.join("\n"), @r#"
    empty: no ONNX model: there is no graph
    no graph: no ONNX model: there is no graph
    text: a group or unknown wire type at byte 0, in the outermost message
    zeros: no field number at byte 0, in the outermost message
    ones: an integer of more than 64 bits at byte 0, in the outermost message
    length past the end: a length that passes the end of its message at byte 0, in the outermost message
    length past the message: a length that passes the end of its message at byte 6, in graph[0].node[1]
    length of 2^63: a length that passes the end of its message at byte 6, in graph[0].node[1]
    length of 2^64-1: a length that passes the end of its message at byte 6, in graph[0].node[1]
    length of 65 bits: an integer of more than 64 bits at byte 7, in graph[0].node[1]
    length of eleven bytes: an integer of more than 64 bits at byte 7, in graph[0].node[1]
    field 0: no field number at byte 6, in graph[0].node[1]
    field of 30 bits: no field number at byte 6, in graph[0].node[1]
    group: a group or unknown wire type at byte 6, in graph[0].node[1]
    wire type 7: a group or unknown wire type at byte 6, in graph[0].node[1]
    a number for a name: a number where a message or text must be at byte 6, in graph[0].node[1]
    no UTF-8: failed to decode Protobuf message: NodeProto.input: GraphProto.node: ModelProto.graph: invalid string value: data is not UTF-8 encoded
    "#);
}

#[test]
fn two_versions_of_one_operator_set_are_refused() {
    let mut proto = sample::everything();
    proto.opset_import.push(sample::opset("ai.onnx", 18));
    let bytes = Model::new(proto).to_vec().unwrap();
    assert_eq!(error(&bytes), r#"versions 17 and 18 of the operators of domain "ai.onnx" are imported"#);
}

#[test]
fn a_file_that_shrinks_while_it_is_read_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.onnx");
    let mut proto = sample::everything();
    let graph = proto.graph.get_or_insert_default();
    graph.initializer.push(sample::raw("large", stratal_tensor::base::DType::U8, &[1 << 20], &[1; 1 << 20]));
    Model::new(proto).write(&path).unwrap();
    let file = ModelFile::open(&path).unwrap();
    let model = Model::of_file(&file, &Limits::default()).unwrap();
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(100).unwrap();
    let large = model.graph().initializer.last().unwrap();
    assert!(model.tensor(large).unwrap_err().to_string().starts_with("tensor \"large\": cannot read 1048576 bytes"));
    assert!(model.to_vec().unwrap_err().to_string().starts_with("cannot read "));
    assert!(Model::of_file(&file, &Limits::default()).unwrap_err().to_string().starts_with("cannot read "));
}

proptest! {
    #[test]
    fn changed_bytes_are_answered(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..9),
        cut: Option<prop::sample::Index>,
    ) {
        let mut bytes = Model::new(sample::everything()).to_vec().unwrap();
        for (index, byte) in changes {
            let position = index.index(bytes.len());
            bytes[position] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let _ = read(&bytes);
    }

    #[test]
    fn parts_put_elsewhere_are_answered(
        from in any::<prop::sample::Index>(), length in 0..200_usize, to in any::<prop::sample::Index>(),
    ) {
        let mut bytes = Model::new(sample::everything()).to_vec().unwrap();
        let start = from.index(bytes.len());
        let part = bytes[start..(start + length).min(bytes.len())].to_vec();
        let at = to.index(bytes.len());
        bytes.splice(at..at, part);
        let _ = read(&bytes);
    }

    #[test]
    fn any_bytes_are_answered(bytes: Vec<u8>) {
        let _ = read(&bytes);
        let _ = read(&field(7, &bytes));
        let _ = read(&field(7, &field(5, &bytes)));
        let file = ModelFile::of_vec(bytes).unwrap();
        let _ = TensorProto::of_file(&file, &Limits::default()).map(|tensor| tensor.tensor().map(drop));
    }
}

#[test]
fn a_long_name_in_front_of_many_is_refused_before_it_takes_memory() {
    let name = "n".repeat(60_000);
    let initializers: Vec<u8> = (0..600).flat_map(|index| field(5, &field(8, format!("{index}").as_bytes()))).collect();
    // A subgraph in an attribute of a node with a long output, in an attribute with a long name, and a function with one.
    let of_output = field(1, &[field(2, name.as_bytes()), field(5, &field(6, &initializers))].concat());
    let of_attribute = field(1, &field(5, &[field(1, name.as_bytes()), field(6, &initializers)].concat()));
    let constant = field(1, b"");
    let constant = [constant, field(4, b"Constant"), field(5, &field(5, b""))].concat();
    let constants: Vec<u8> = (0..600).flat_map(|_| field(7, &constant)).collect();
    let of_function = [field(7, b""), field(25, &[field(1, name.as_bytes()), constants].concat())].concat();
    for bytes in [field(7, &of_output), field(7, &of_attribute), of_function] {
        read(&bytes).unwrap();
        let error = Weights::of_file(ModelFile::of_vec(bytes).unwrap(), &Limits::default()).unwrap_err().to_string();
        assert!(error.contains("would take more than"), "{error}");
    }
}
