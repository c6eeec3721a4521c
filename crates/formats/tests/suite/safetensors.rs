//! safetensors: round trips, the crate `safetensors` as a witness, shards.

use proptest::{collection::vec, prelude::*};
use stratal_formats::{ElementType, Error, Limits, ModelFile, Weights, safetensors};
use stratal_tensor::{
    Tensor,
    base::{DType, Shape},
    memory::{Buffer, Origin},
};

use crate::kinds::{bytes_of, each_kind, mapped, weights};

/// A file of a header and so many bytes of elements, which count up.
pub(crate) fn file(header: &str, data: usize) -> Vec<u8> {
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    bytes.extend((0..data).map(|index| index as u8));
    bytes
}

/// A tensor of a dtype, with bytes of a seed.
pub(crate) fn tensor(dtype: DType, extents: &[i64], seed: u64) -> Tensor {
    let shape = Shape::new(extents).unwrap();
    let mut state = seed | 1;
    let mut bytes = vec![0_u8; shape.bytes(dtype).unwrap()];
    for byte in &mut bytes {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        *byte = if dtype == DType::Bool { state as u8 & 1 } else { state as u8 };
    }
    let words: Vec<u64> =
        bytes.chunks(8).map(|part| part.iter().rev().fold(0, |word, byte| (word << 8) | u64::from(*byte))).collect();
    Tensor::from_buffer(Buffer::from_vec(words).unwrap(), 0, shape, dtype).unwrap()
}

pub(crate) fn any_tensor(dtypes: &'static [DType]) -> impl Strategy<Value = Tensor> {
    (proptest::sample::select(dtypes), vec(0_i64..4, 0..4), any::<u64>())
        .prop_map(|(dtype, extents, seed)| tensor(dtype, &extents, seed))
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        tensors in vec((".{0,9}", any_tensor(&DType::ALL)), 0..6),
        metadata in vec((".{0,9}", ".{0,9}"), 0..3),
    ) {
        let mut tensors = tensors;
        tensors.sort_by(|left, right| left.0.cmp(&right.0));
        tensors.dedup_by(|left, right| left.0 == right.0);
        let mut metadata = metadata;
        metadata.sort();
        metadata.dedup_by(|left, right| left.0 == right.0);
        // Not in the order of names, to see that the order is kept.
        tensors.reverse();

        let bytes = safetensors::to_vec(
            tensors.iter().map(|(name, tensor)| (&**name, tensor)),
            metadata.iter().map(|(key, text)| (&**key, &**text)),
        ).unwrap();
        each_kind(&bytes, |kind, file| {
            let weights = Weights::of_file(file, &Limits::default()).unwrap();
            let names: Vec<_> = tensors.iter().map(|(name, _)| &**name).collect();
            assert_eq!(weights.names().collect::<Vec<_>>(), names, "{kind}");
            assert_eq!(weights.metadata().count(), metadata.len(), "{kind}");
            for (name, expected) in &tensors {
                let found = weights.tensor(name).unwrap();
                assert_eq!((found.dtype(), found.shape()), (expected.dtype(), expected.shape()), "{kind} {name}");
                assert_eq!(bytes_of(&found), bytes_of(expected), "{kind} {name}");
            }
        });

        // The witness takes every file too, and finds the same.
        let witness = ::safetensors::SafeTensors::deserialize(&bytes).unwrap();
        prop_assert_eq!(witness.len(), tensors.len());
        for (name, expected) in &tensors {
            let found = witness.tensor(name).unwrap();
            prop_assert_eq!(found.data(), &*bytes_of(expected));
            prop_assert_eq!(found.dtype().to_string(), expected.dtype().safetensors_name());
        }
    }

    #[test]
    fn what_the_witness_writes_is_read(tensors in vec(any_tensor(&DType::ALL), 0..5)) {
        let bytes: Vec<_> = tensors.iter().map(bytes_of).collect();
        let views = tensors.iter().zip(&bytes).enumerate().map(|(index, (tensor, bytes))| {
            let dtype = ::safetensors::Dtype::F32;
            let dtype = match tensor.dtype() {
                DType::F32 => dtype,
                DType::F64 => ::safetensors::Dtype::F64,
                DType::F16 => ::safetensors::Dtype::F16,
                DType::BF16 => ::safetensors::Dtype::BF16,
                DType::Bool => ::safetensors::Dtype::BOOL,
                DType::U8 => ::safetensors::Dtype::U8,
                DType::I8 => ::safetensors::Dtype::I8,
                DType::U16 => ::safetensors::Dtype::U16,
                DType::I16 => ::safetensors::Dtype::I16,
                DType::U32 => ::safetensors::Dtype::U32,
                DType::I32 => ::safetensors::Dtype::I32,
                DType::U64 => ::safetensors::Dtype::U64,
                DType::I64 => ::safetensors::Dtype::I64,
            };
            let shape = tensor.shape().extents().iter().map(|extent| *extent as usize).collect();
            (format!("tensor {index}"), ::safetensors::tensor::TensorView::new(dtype, shape, bytes).unwrap())
        });
        let file = ::safetensors::serialize(views.collect::<Vec<_>>(), None).unwrap();
        let weights = weights(&file).unwrap();
        prop_assert_eq!(weights.len(), tensors.len());
        for (index, expected) in tensors.iter().enumerate() {
            let found = weights.tensor(&format!("tensor {index}")).unwrap();
            prop_assert_eq!((found.dtype(), found.shape()), (expected.dtype(), expected.shape()));
            prop_assert_eq!(bytes_of(&found), bytes_of(expected));
        }
    }
}

#[test]
fn a_mapped_tensor_is_a_window_where_it_is_aligned_and_a_copy_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    for padding in 0..4 {
        let header = r#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}"#;
        let length = header.len() + padding;
        let header = format!("{header:length$}");
        let start = 8 + header.len() as u64;
        std::fs::write(&path, file(&header, 8)).unwrap();
        let weights = Weights::of_file(mapped(&path), &Limits::default()).unwrap();
        let tensor = weights.tensor("a").unwrap();
        let is_window = tensor.buffer().origin() == Origin::MappedFile { offset: start };
        assert_eq!(is_window, start.is_multiple_of(4), "{padding}");
        assert_eq!(bytes_of(&tensor), [0, 1, 2, 3, 4, 5, 6, 7]);
    }
}

#[test]
fn types_without_a_dtype_are_listed_and_named() {
    let header = r#"{"x":{"dtype":"F8_E4M3","shape":[3],"data_offsets":[0,3]},
        "y":{"dtype":"F4","shape":[4],"data_offsets":[3,5]},
        "z":{"dtype":"Q7","shape":[4],"data_offsets":[5,6]}}"#;
    let weights = weights(&file(header, 6)).unwrap();
    assert_eq!(weights.get("x").unwrap().element_type(), &ElementType::Unsupported("F8_E4M3".into()));
    assert_eq!(
        weights.tensor("x").unwrap_err().to_string(),
        r#"the elements of tensor "x" are "F8_E4M3", which no dtype here stores"#
    );
    assert!(weights.tensor("y").unwrap_err().to_string().contains("\"F4\""));
    assert!(weights.tensor("z").unwrap_err().to_string().contains("\"Q7\""));
}

#[test]
fn a_shape_beyond_the_limits_is_listed_and_named_when_it_is_asked_for() {
    let header = r#"{"deep":{"dtype":"U8","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,1]},
        "wide":{"dtype":"U8","shape":[0,4294967296],"data_offsets":[1,1]}}"#;
    let weights = weights(&file(header, 1)).unwrap();
    assert_eq!(weights.get("deep").unwrap().extents().len(), 9);
    assert_eq!(weights.tensor("deep").unwrap_err().to_string(), r#"tensor "deep": rank 9 is above the limit of 8"#);
    assert!(weights.tensor("wide").unwrap_err().to_string().contains("extent 4294967296"));
}

#[test]
fn strided_tensors_are_written_row_major_and_any_true_byte_as_one() {
    let matrix = Tensor::arange(0, 6, 1, DType::I16).unwrap().reshape(&[2, 3]).unwrap().t().unwrap();
    let truths =
        Tensor::from_buffer(Buffer::from_vec(vec![0_u8, 7, 1]).unwrap(), 0, Shape::new(&[3]).unwrap(), DType::Bool);
    let bytes = safetensors::to_vec([("t", &truths.unwrap()), ("m", &matrix)], []).unwrap();
    let weights = weights(&bytes).unwrap();
    assert_eq!(weights.tensor("m").unwrap().to_vec::<i16>().unwrap(), [0, 3, 1, 4, 2, 5]);
    assert_eq!(bytes_of(&weights.tensor("t").unwrap()), [0, 1, 1]);
    // Larger elements come first, so that all are aligned.
    assert!(weights.get("m").unwrap().place().range().start < weights.get("t").unwrap().place().range().start);
}

#[test]
fn names_that_a_file_cannot_have_are_refused() {
    let tensor = Tensor::scalar(1.0_f32).unwrap();
    let twice = safetensors::to_vec([("a", &tensor), ("a", &tensor)], []).unwrap_err();
    assert_eq!(twice.to_string(), r#"two tensors are named "a""#);
    assert!(safetensors::to_vec([("__metadata__", &tensor)], []).is_err());
}

#[test]
fn a_file_that_is_replaced_stays_what_it_was_for_whoever_mapped_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    let [old, new] = [1.0_f32, 2.0].map(|value| Tensor::full(&[4], value, DType::F32).unwrap());
    safetensors::write(&path, [("a", &old)], []).unwrap();
    let weights = Weights::of_file(mapped(&path), &Limits::default()).unwrap();
    safetensors::write(&path, [("a", &new)], []).unwrap();
    assert_eq!(weights.tensor("a").unwrap().to_vec::<f32>().unwrap(), [1.0; 4]);
    assert_eq!(Weights::open(&path).unwrap().tensor("a").unwrap().to_vec::<f32>().unwrap(), [2.0; 4]);

    // What fails leaves the file and no other.
    let released = Tensor::zeros(&[4], DType::F32).unwrap();
    released.release().unwrap();
    assert!(safetensors::write(&path, [("a", &released)], []).is_err());
    assert_eq!(Weights::open(&path).unwrap().tensor("a").unwrap().to_vec::<f32>().unwrap(), [2.0; 4]);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_sharded_model_is_one_set_of_weights() {
    let folder = tempfile::tempdir().unwrap();
    let tensors: Vec<_> = (0..4).map(|value| Tensor::full(&[3], value, DType::I32).unwrap()).collect();
    let shards = folder.path().join("shards");
    std::fs::create_dir(&shards).unwrap();
    safetensors::write(folder.path().join("1.safetensors"), [("a", &tensors[0]), ("b", &tensors[1])], []).unwrap();
    safetensors::write(shards.join("2.safetensors"), [("c", &tensors[2]), ("unnamed", &tensors[3])], []).unwrap();
    let path = folder.path().join("model.safetensors.index.json");
    let index = r#"{"metadata": {"total_size": 36, "note": "x", "list": [1, {"a": 2}], "none": null, "share": 0.5},
        "weight_map": {"c": "shards/2.safetensors", "b": "1.safetensors", "a": "1.safetensors"}, "more": [1]}"#;
    std::fs::write(&path, index).unwrap();

    for file in [ModelFile::open(&path).unwrap(), mapped(&path)] {
        let is_mapped = file.is_mapped();
        let weights = Weights::of_file(file, &Limits::default()).unwrap();
        assert_eq!(weights.names().collect::<Vec<_>>(), ["c", "a", "b"]);
        assert_eq!(weights.get("c").unwrap().place().file(), Some("shards/2.safetensors"));
        let metadata: Vec<_> = weights.metadata().map(|(key, value)| format!("{key} {value}")).collect();
        assert_eq!(metadata, ["total_size 36", "note \"x\"", "list [, ... 2 in all]", "share 0.5"]);
        for (name, value) in [("a", 0), ("b", 1), ("c", 2)] {
            let tensor = weights.tensor(name).unwrap();
            assert_eq!(tensor.to_vec::<i32>().unwrap(), [value; 3]);
            assert_eq!(tensor.buffer().is_read_only(), is_mapped);
        }
        weights.prefetch("c").unwrap();
        weights.prefetch_all();
    }

    let refused = |index: &str| {
        std::fs::write(&path, index).unwrap();
        Weights::open(&path).unwrap_err()
    };
    let missing = refused(r#"{"weight_map": {"d": "1.safetensors"}}"#);
    assert_eq!(missing.to_string(), r#"the index says that tensor "d" is in "1.safetensors", which does not have it"#);
    let error = refused(r#"{"weight_map": {"a": "../1.safetensors"}}"#);
    assert!(matches!(error, Error::File(stratal_formats::FileError::Outside { .. })), "{error}");
    let error = refused(r#"{"weight_map": {"a": "1.safetensors", "a": "1.safetensors"}}"#);
    assert_eq!(error.to_string(), r#"two tensors are named "a""#);
    assert!(
        refused(r#"{"weight_map": {"a": "3.safetensors"}}"#).to_string().starts_with("cannot open \"3.safetensors\"")
    );
    std::fs::write(folder.path().join("3.safetensors"), file("{]", 0)).unwrap();
    assert!(
        refused(r#"{"weight_map": {"a": "3.safetensors"}}"#).to_string().starts_with("\"3.safetensors\": the header")
    );
}
