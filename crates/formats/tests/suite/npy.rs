//! npy and npz: what NumPy wrote, round trips, and what becomes a view.

use std::{collections::BTreeMap, path::PathBuf};

use proptest::{collection::vec, prelude::*};
use stratal_formats::{ElementType, Format, Limits, ModelFile, Weights, npy};
use stratal_tensor::{Tensor, base::DType, memory::Origin};

use crate::{
    kinds::{bytes_of, each_kind, mapped, weights},
    safetensors::any_tensor,
};

/// The dtypes that NumPy has.
const DTYPES: &[DType] = &[
    DType::F32,
    DType::U8,
    DType::I8,
    DType::U16,
    DType::I16,
    DType::I32,
    DType::I64,
    DType::Bool,
    DType::F16,
    DType::F64,
    DType::U32,
    DType::U64,
];

fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/npy").join(name)
}

/// A file that NumPy wrote, and the array that it wrote, little-endian and row-major.
pub(crate) struct Array {
    pub(crate) file: Vec<u8>,
    shape: Vec<u32>,
    bytes: Vec<u8>,
}

/// The same as hexadecimal digits.
#[derive(serde::Deserialize)]
struct Written {
    file: String,
    shape: Vec<u32>,
    bytes: String,
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len() / 2).map(|index| u8::from_str_radix(&text[2 * index..2 * index + 2], 16).unwrap()).collect()
}

/// Files that NumPy 2.4.6 wrote: every dtype, little- and big-endian, in both orders, in all versions.
pub(crate) fn written_by_numpy() -> BTreeMap<String, Array> {
    let text = std::fs::read_to_string(data("arrays.json")).unwrap();
    let files: BTreeMap<String, Written> = serde_json::from_str(&text).unwrap();
    let unpacked = |Written { file, shape, bytes }: Written| Array { file: unhex(&file), shape, bytes: unhex(&bytes) };
    files.into_iter().map(|(name, written)| (name, unpacked(written))).collect()
}

#[test]
fn what_numpy_wrote_is_read() {
    let files = written_by_numpy();
    assert_eq!(files.len(), 53);
    for (name, Array { file, shape, bytes }) in files {
        each_kind(&file, |kind, file| {
            let weights = Weights::of_file(file, &Limits::default()).unwrap();
            let tensor = weights.tensor(npy::UNNAMED).unwrap();
            assert_eq!(tensor.shape().extents(), shape, "{name} {kind}");
            assert_eq!(bytes_of(&tensor), bytes, "{name} {kind}");
            let is_fortran = name.contains("fortran");
            assert_eq!(tensor.is_contiguous(), !is_fortran, "{name} {kind}");
            let is_window = matches!(tensor.buffer().origin(), Origin::MappedFile { .. });
            let is_converted = name.contains("big") && tensor.dtype().size() > 1 || name == "empty";
            assert_eq!(is_window, kind == "mapped" && !is_converted, "{name} {kind}");
        });
    }
}

#[test]
fn archives_that_numpy_wrote_are_read() {
    for file in [ModelFile::open(data("stored.npz")).unwrap(), mapped(&data("stored.npz"))] {
        let weights = Weights::of_file(file, &Limits::default()).unwrap();
        assert_eq!(weights.format(), Format::Npz);
        assert_eq!(weights.names().collect::<Vec<_>>(), ["first", "second"]);
        assert_eq!(weights.tensor("first").unwrap().to_vec::<f32>().unwrap(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(weights.tensor("second").unwrap().to_vec::<i32>().unwrap(), [0, 1, 2, 3, 4, 5]);
    }
    for file in [ModelFile::open(data("deflated.npz")).unwrap(), mapped(&data("deflated.npz"))] {
        let weights = Weights::of_file(file, &Limits::default()).unwrap();
        let zeros = weights.get("zeros").unwrap();
        assert!(zeros.place().is_compressed() && zeros.place().bytes() < 400, "{zeros:?}");
        assert_eq!(weights.tensor("zeros").unwrap().to_vec::<f32>().unwrap(), [0.0; 10_000]);
        assert_eq!(weights.tensor("f").unwrap().to_vec::<i32>().unwrap(), [0, 1, 2, 3, 4, 5]);
        assert_eq!(bytes_of(&weights.tensor("b").unwrap()), [1, 0]);
    }
}

#[test]
fn arrays_of_other_types_are_listed_and_named() {
    let weights = Weights::open(data("unsupported.npz")).unwrap();
    let types: Vec<_> = weights.iter().map(|weight| weight.element_type().to_string()).collect();
    assert_eq!(types, ["<U2", "[('a', '<f4'), ('b', '<i2')]", "<c8"]);
    for weight in &weights {
        assert!(matches!(weight.element_type(), ElementType::Unsupported(_)));
        let error = weights.tensor(weight.name()).unwrap_err().to_string();
        assert!(error.contains("which no dtype here stores"), "{error}");
    }
}

proptest! {
    #[test]
    fn an_array_that_is_written_is_read_back(tensor in any_tensor(DTYPES)) {
        let bytes = npy::to_vec(&tensor).unwrap();
        each_kind(&bytes, |kind, file| {
            let found = Weights::of_file(file, &Limits::default()).unwrap().tensor(npy::UNNAMED).unwrap();
            assert_eq!((found.dtype(), found.shape()), (tensor.dtype(), tensor.shape()), "{kind}");
            assert_eq!(bytes_of(&found), bytes_of(&tensor), "{kind}");
        });
    }

    #[test]
    fn an_archive_that_is_written_is_read_back(tensors in vec(("[a-zé./]{1,9}", any_tensor(DTYPES)), 0..5)) {
        let mut tensors = tensors;
        tensors.sort_by(|left, right| left.0.cmp(&right.0));
        tensors.dedup_by(|left, right| left.0 == right.0);
        tensors.reverse();
        let bytes = npy::archive_to_vec(tensors.iter().map(|(name, tensor)| (&**name, tensor))).unwrap();
        each_kind(&bytes, |kind, file| {
            let weights = Weights::of_file(file, &Limits::default()).unwrap();
            assert_eq!(weights.len(), tensors.len());
            for (weight, (name, tensor)) in weights.iter().zip(&tensors) {
                assert_eq!(weight.name(), name, "{kind}");
                assert!(weight.place().range().start.is_multiple_of(64), "{kind} {weight:?}");
                let found = weights.tensor(name).unwrap();
                assert_eq!((found.dtype(), found.shape()), (tensor.dtype(), tensor.shape()), "{kind}");
                assert_eq!(bytes_of(&found), bytes_of(tensor), "{kind}");
                let is_window = matches!(found.buffer().origin(), Origin::MappedFile { .. });
                assert_eq!(is_window, kind == "mapped" && !tensor.is_empty());
            }
        });
    }
}

#[test]
fn what_numpy_has_no_type_for_is_refused() {
    let tensor = Tensor::zeros(&[2], DType::BF16).unwrap();
    assert_eq!(npy::to_vec(&tensor).unwrap_err().to_string(), "NumPy has no type for bfloat16; convert it");
    let error = npy::archive_to_vec([("w", &tensor)]).unwrap_err();
    assert_eq!(error.to_string(), "\"w\": NumPy has no type for bfloat16; convert it");
    let tensor = Tensor::zeros(&[2], DType::F32).unwrap();
    let error = npy::archive_to_vec([("w", &tensor), ("w", &tensor)]).unwrap_err();
    assert_eq!(error.to_string(), "two arrays are named \"w\"");
}

#[test]
fn a_damaged_compressed_member_is_found_when_it_is_read() {
    let bytes = std::fs::read(data("deflated.npz")).unwrap();
    let intact = weights(&bytes).unwrap();
    let range = intact.get("zeros").unwrap().place().range();
    let expected = bytes_of(&intact.tensor("zeros").unwrap());
    let mut found = 0;
    for position in range.start as usize..range.end as usize {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[position] ^= 1 << bit;
            // The same bytes by another way are fine; other bytes are not.
            match weights(&damaged).and_then(|weights| weights.tensor("zeros")) {
                Ok(tensor) => assert_eq!(bytes_of(&tensor), expected, "bit {bit} of byte {position}"),
                Err(_) => found += 1,
            }
        }
    }
    assert!(found > 100, "{found}");
}
