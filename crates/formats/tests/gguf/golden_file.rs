//! A file that ggml's own Python package wrote (gguf 0.19): every type of value, and tensors plain and packed.

use std::path::{Path, PathBuf};

use stratal_formats::{
    Limits, ModelFile, Weights,
    gguf::{self, Array, BlockType, Header, TensorType, Value},
};
use stratal_tensor_base::DType;

pub(crate) fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gguf/written_by_ggml.gguf")
}

fn header() -> Header {
    Header::read(&ModelFile::open(path()).unwrap(), &Limits::default()).unwrap()
}

fn weights() -> Weights {
    Weights::open(path()).unwrap()
}

#[test]
fn metadata_has_every_type_of_value() {
    let header = header();
    assert_eq!((header.version(), header.alignment()), (3, 64));
    let integers = |numbers: &[i32]| Array::I32(numbers.to_vec());
    let expected = [
        ("general.architecture", Value::from("stratal-test")),
        ("u8", Value::U8(200)),
        ("i8", Value::I8(-100)),
        ("u16", Value::U16(60_000)),
        ("i16", Value::I16(-30_000)),
        ("u32", Value::U32(4_000_000_000)),
        ("i32", Value::I32(-2_000_000_000)),
        ("f32", Value::F32(0.1)),
        ("bool", Value::Bool(true)),
        ("text", Value::from("Grüße")),
        ("u64", Value::U64(u64::MAX)),
        ("i64", Value::I64(i64::MIN)),
        ("f64", Value::F64(0.1)),
        ("tokens", Array::Text(["<s>", "", "of", "é"].into_iter().collect()).into()),
        ("numbers", integers(&[1, -2, 3]).into()),
        ("truths", Array::Bool(vec![true, false]).into()),
        ("floats", Array::F32(vec![0.5, -1.5]).into()),
        ("nested", Array::Array(vec![integers(&[1, 2]), integers(&[3])]).into()),
        ("general.alignment", Value::U32(64)),
    ];
    let found: Vec<_> = header.metadata().iter().map(|(key, value)| (key, value.clone())).collect();
    assert_eq!(found, expected);
    for (key, value) in &expected {
        assert_eq!(header.metadata().get(key), Some(value));
    }
    assert_eq!(header.metadata().get("f"), None);
}

#[test]
fn tensors_lie_where_ggml_says() {
    let header = header();
    let plain = TensorType::Plain;
    let found: Vec<_> = header
        .tensors()
        .iter()
        .map(|tensor| (tensor.name(), tensor.tensor_type(), tensor.extents(), tensor.range()))
        .collect();
    let expected: [(_, _, &[u64], _); 10] = [
        ("f32", plain(DType::F32), &[3, 2, 64], 1088..2624),
        ("f16", plain(DType::F16), &[2, 64], 2624..2880),
        ("i8", plain(DType::I8), &[7], 2880..2887),
        ("i64", plain(DType::I64), &[1], 2944..2952),
        ("f64", plain(DType::F64), &[1, 2], 3008..3024),
        ("i16", plain(DType::I16), &[2], 3072..3076),
        ("i32", plain(DType::I32), &[1], 3136..3140),
        ("bf16", plain(DType::BF16), &[3, 2, 64], 3200..3968),
        ("q8_0", TensorType::Blocks(BlockType::Q8_0), &[3, 2, 64], 3968..4376),
        ("q4_0", TensorType::Blocks(BlockType::Q4_0), &[3, 2, 64], 4416..4632),
    ];
    assert_eq!(found, expected);
}

#[test]
fn elements_are_those_that_were_written() {
    // The numbers are what the package that wrote the file printed.
    let file = weights();
    let first = file.tensor("f32").unwrap().to_vec::<f32>().unwrap();
    assert_eq!(first[..3], [0.001_230_153_4, 0.298_745_54, -0.274_137_85]);
    assert_eq!(first[383], -1.150_913_5);
    assert_eq!(file.tensor("i8").unwrap().to_vec::<i8>().unwrap(), [-3, -2, -1, 0, 1, 2, 3]);
    assert_eq!(file.tensor("i16").unwrap().to_vec::<i16>().unwrap(), [-5, 6]);
    assert_eq!(file.tensor("i32").unwrap().to_vec::<i32>().unwrap(), [7]);
    assert_eq!(file.tensor("i64").unwrap().to_vec::<i64>().unwrap(), [1 << 62]);
    assert_eq!(file.tensor("f64").unwrap().to_vec::<f64>().unwrap(), [0.1, 0.2]);

    let q4_0 = file.packed("q4_0").unwrap().decode().unwrap().to_vec::<f32>().unwrap();
    assert_eq!(q4_0[320..324], [-0.755_859_4, 0.503_906_25, 1.511_718_8, -0.251_953_12]);
    assert_eq!(q4_0.iter().copied().map(f64::from).sum::<f64>(), -41.389_526_367_187_5);
    let q8_0 = file.packed("q8_0").unwrap().decode().unwrap().to_vec::<f32>().unwrap();
    assert_eq!(q8_0[128..131], [-1.746_017_5, 0.756_149_3, -0.838_638_3]);
}

#[test]
fn rewritten_it_is_the_same_to_the_byte() {
    let (header, weights) = (header(), weights());
    let plain = |name| weights.tensor(name).map_err(|_| weights.packed(name).unwrap());
    let tensors: Vec<_> = weights.names().map(|name| (name, plain(name))).collect();
    let sources = tensors.iter().map(|(name, tensor)| match tensor {
        Ok(tensor) => (*name, gguf::Source::Plain(tensor)),
        Err(packed) => (*name, gguf::Source::Packed(packed)),
    });
    let written = gguf::to_vec(sources, header.metadata().iter()).unwrap();
    assert!(written == std::fs::read(path()).unwrap());
}
