//! What is written is read back.

use proptest::prelude::*;
use stratal_formats::{
    Limits, ModelFile,
    gguf::{self, Array, BlockType, GgufError, PackedTensor, Source, Texts, Value},
};
use stratal_tensor::Tensor;
use stratal_tensor_base::{DType, Shape, match_dtype};

use crate::build::{header, weights};

fn packed(block_type: BlockType, blocks: Vec<u8>) -> PackedTensor {
    let rows = blocks.len() / block_type.block_bytes();
    let shape = Shape::new(&[rows as i64, block_type.block_weights() as i64]).unwrap();
    let file = ModelFile::of_vec(blocks).unwrap();
    PackedTensor::new(block_type, shape, file.bytes(0..file.len()).unwrap()).unwrap()
}

fn array() -> impl Strategy<Value = Array> {
    use prop::collection::vec;
    let flat = prop_oneof![
        vec(any::<u8>(), 0..4).prop_map(Array::U8),
        vec(any::<i8>(), 0..4).prop_map(Array::I8),
        vec(any::<u16>(), 0..4).prop_map(Array::U16),
        vec(any::<i16>(), 0..4).prop_map(Array::I16),
        vec(any::<u32>(), 0..4).prop_map(Array::U32),
        vec(any::<i32>(), 0..4).prop_map(Array::I32),
        vec(any::<f32>(), 0..4).prop_map(Array::F32),
        vec(any::<bool>(), 0..4).prop_map(Array::Bool),
        vec(".{0,6}", 0..4).prop_map(|texts| Array::Text(texts.iter().map(String::as_str).collect::<Texts>())),
        vec(any::<u64>(), 0..4).prop_map(Array::U64),
        vec(any::<i64>(), 0..4).prop_map(Array::I64),
        vec(any::<f64>(), 0..4).prop_map(Array::F64),
    ];
    flat.prop_recursive(4, 16, 3, |inner| vec(inner, 0..3).prop_map(Array::Array))
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<u8>().prop_map(Value::U8),
        any::<i8>().prop_map(Value::I8),
        any::<u16>().prop_map(Value::U16),
        any::<i16>().prop_map(Value::I16),
        any::<u32>().prop_map(Value::U32),
        any::<i32>().prop_map(Value::I32),
        any::<f32>().prop_map(Value::F32),
        any::<bool>().prop_map(Value::Bool),
        ".{0,12}".prop_map(|text| Value::from(text.as_str())),
        array().prop_map(Value::Array),
        any::<u64>().prop_map(Value::U64),
        any::<i64>().prop_map(Value::I64),
        any::<f64>().prop_map(Value::F64),
    ]
}

/// A tensor of one of the dtypes that GGUF has, of rank 0 to 4.
fn tensor() -> impl Strategy<Value = Tensor> {
    const DTYPES: [DType; 8] =
        [DType::F32, DType::F16, DType::BF16, DType::F64, DType::I8, DType::I16, DType::I32, DType::I64];
    let extents = prop::collection::vec(0..4_i64, 0..=4);
    (extents, prop::sample::select(&DTYPES[..]), any::<i8>()).prop_map(|(extents, dtype, start)| {
        let start = i64::from(start);
        let count: i64 = extents.iter().product();
        // Bytes hold what a sequence of 256 numbers does at most.
        let numbers = Tensor::arange(start, start + count, 1, DType::I64).unwrap();
        numbers.cast(dtype).unwrap().reshape(&extents).unwrap()
    })
}

/// The elements, row-major, as bytes: NaN does not equal NaN.
fn bits(tensor: &Tensor) -> Vec<u8> {
    match_dtype!(tensor.dtype(), T => bytemuck::cast_slice(&tensor.to_vec::<T>().unwrap()).to_vec())
}

proptest! {
    #[test]
    fn metadata_and_tensors_come_back(
        metadata in prop::collection::btree_map("[a-z.]{0,8}", value(), 0..6),
        tensors in prop::collection::btree_map("[a-z.]{0,8}", tensor(), 0..6),
        alignment in prop::option::of(0..8_u32),
    ) {
        let alignment = alignment.map(|exponent| Value::U32(1 << exponent));
        let mut entries: Vec<(&str, &Value)> = metadata.iter().map(|(key, value)| (key.as_str(), value)).collect();
        entries.extend(alignment.as_ref().map(|value| ("general.alignment", value)));
        let named = || tensors.iter().map(|(name, tensor)| (name.as_str(), tensor));

        let bytes = gguf::to_vec(named(), entries.iter().copied()).unwrap();
        let file = weights(bytes.clone()).unwrap();
        let header = header(&bytes).unwrap();
        let found: Vec<_> = header.metadata().iter().collect();
        // Debug texts, since NaN is not NaN.
        prop_assert_eq!(format!("{found:?}"), format!("{entries:?}"));
        prop_assert_eq!(header.tensors().len(), tensors.len());
        for (info, (name, tensor)) in header.tensors().iter().zip(named()) {
            prop_assert_eq!(info.name(), name);
            let read = file.tensor(name).unwrap();
            prop_assert_eq!((read.dtype(), read.shape()), (tensor.dtype(), tensor.shape()));
            prop_assert_eq!(bits(&read), bits(tensor));
        }

        let again: Vec<_> = header.tensors().iter().map(|info| (info.name(), file.tensor(info.name()).unwrap())).collect();
        let rewritten = gguf::to_vec(again.iter().map(|(name, tensor)| (*name, tensor)), header.metadata().iter());
        prop_assert_eq!(rewritten.unwrap(), bytes);
    }
}

#[test]
fn packed_tensors_are_written_as_they_are() {
    let tensors: Vec<_> = BlockType::ALL
        .into_iter()
        .map(|block_type| {
            let bytes = (0..3 * block_type.block_bytes()).map(|index| (index * 37) as u8).collect();
            (block_type.name(), packed(block_type, bytes))
        })
        .collect();
    let bytes = gguf::to_vec(tensors.iter().map(|(name, tensor)| (*name, tensor)), []).unwrap();
    let file = weights(bytes).unwrap();
    for (name, tensor) in &tensors {
        let read = file.packed(name).unwrap();
        assert_eq!((read.block_type(), read.shape()), (tensor.block_type(), tensor.shape()));
        assert_eq!(read.bytes(), tensor.bytes());
    }
}

#[test]
fn views_are_written_as_they_look() {
    let matrix = Tensor::arange(0, 6, 1, DType::I32).unwrap().reshape(&[2, 3]).unwrap();
    let bytes = gguf::to_vec([("t", &matrix.t().unwrap())], []).unwrap();
    let read = weights(bytes).unwrap().tensor("t").unwrap();
    assert_eq!((read.shape().extents(), read.to_vec::<i32>().unwrap()), (&[3, 2][..], vec![0, 3, 1, 4, 2, 5]));
}

#[test]
fn files_are_written_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("w.gguf");
    let tensor = Tensor::from_slice(&[1.0_f32, 2.0], &[2]).unwrap();
    let blocks = packed(BlockType::Q8_0, vec![1; 34]);
    let both = [("plain", Source::from(&tensor)), ("packed", Source::from(&blocks))];
    gguf::write(&path, both, [("a", &Value::Bool(true))]).unwrap();
    let written = std::fs::read(&path).unwrap();
    assert_eq!(written, gguf::to_vec(both, [("a", &Value::Bool(true))]).unwrap());
    assert!(gguf::write(&path, [("u8", &Tensor::zeros(&[2], DType::U8).unwrap())], []).is_err());
    assert_eq!(std::fs::read(&path).unwrap(), written, "what was there stays");
}

#[test]
fn what_readers_would_refuse_is_not_written() {
    let tensor = Tensor::zeros(&[2], DType::F32).unwrap();
    let refusal = |name: &str, tensor: &Tensor, metadata: &[(&str, &Value)]| {
        let error = gguf::to_vec([(name, tensor)], metadata.iter().copied()).unwrap_err();
        error.to_string()
    };
    for dtype in [DType::Bool, DType::U8, DType::U16, DType::U32, DType::U64] {
        let error = refusal("w", &Tensor::zeros(&[2], dtype).unwrap(), &[]);
        let name = dtype.safetensors_name();
        assert_eq!(error, format!("the tensor \"w\" cannot be written: GGUF has no type for {name}"));
    }
    insta::assert_snapshot!(refusal("w", &tensor.reshape(&[1, 1, 1, 1, 2]).unwrap(), &[]), @r#"the tensor "w" has 5 axes; GGUF has at most 4"#);
    let long = "w".repeat(64);
    insta::assert_snapshot!(refusal(&long, &tensor, &[]), @r#""wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww" has 64 bytes; readers of GGUF take at most 63"#);
    insta::assert_snapshot!(refusal("w", &tensor, &[("a", &Value::U8(1)), ("a", &Value::U8(2))]), @r#""a" is there twice"#);
    insta::assert_snapshot!(refusal("w", &tensor, &[("general.alignment", &Value::U32(24))]), @r#"general.alignment is 24, which is no uint32 that is a power of two"#);
    let twice = gguf::to_vec([("w", &tensor), ("w", &tensor)], []).unwrap_err();
    assert!(matches!(twice, stratal_formats::Error::Gguf(GgufError::DuplicateTensor { .. })));
}

/// Zeros for an alignment are written only where data follows.
#[test]
fn a_huge_alignment_without_data_takes_no_room() {
    let bytes = gguf::to_vec(
        [("none", &Tensor::zeros(&[0], DType::F32).unwrap())],
        [("general.alignment", &Value::U32(1 << 31))],
    );
    assert!(bytes.unwrap().len() < 200);
}

/// A header longer than what is read of a file at first.
#[test]
fn a_long_header_is_read_in_parts() {
    let texts: Texts = (0..40_000).map(|index| if index % 3 == 0 { "token" } else { "" }).collect();
    let tokens = Value::from(Array::Text(texts));
    let tensor = Tensor::from_slice(&[1.0_f32, 2.0], &[2]).unwrap();
    let bytes = gguf::to_vec([("w", &tensor)], [("tokens", &tokens)]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.gguf");
    std::fs::write(&path, &bytes).unwrap();

    let read = gguf::Header::read(&ModelFile::open(&path).unwrap(), &Limits::default()).unwrap();
    assert_eq!(read, header(&bytes).unwrap());
    assert_eq!(read.metadata().get("tokens"), Some(&tokens));
    // Cut within the header, it is refused all the same.
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let cut = gguf::Header::read(&ModelFile::open(&path).unwrap(), &Limits::default());
    assert!(matches!(
        cut,
        Err(stratal_formats::Error::Gguf(GgufError::Truncated { .. } | GgufError::Impossible { .. }))
    ));
}
