//! `cast.json` through tensors, contiguous and strided.

use std::collections::BTreeMap;

use stratal_tensor::{
    Tensor,
    base::{DType, Element, match_dtype},
};

use crate::load::{HexList, fixture};

#[derive(serde::Deserialize)]
struct Fixture {
    inputs: BTreeMap<String, HexList>,
    pairs: Vec<Pair>,
}

#[derive(serde::Deserialize)]
struct Pair {
    from: i64,
    to: i64,
    out: HexList,
}

/// A tensor of these bit patterns.
pub(crate) fn of_patterns(patterns: &[u64], dtype: DType) -> Tensor {
    let bytes: Vec<u8> =
        patterns.iter().flat_map(|pattern| pattern.to_le_bytes().into_iter().take(dtype.size())).collect();
    let tensor = Tensor::empty(&[patterns.len() as i64], dtype).unwrap();
    tensor.storage_mut().unwrap().copy_from_slice(&bytes);
    tensor
}

fn patterns_of<T: Element>(tensor: &Tensor) -> Vec<u64> {
    let pattern = |value: &T| {
        let mut bytes = [0; 8];
        bytes[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(value));
        u64::from_le_bytes(bytes)
    };
    tensor.to_vec::<T>().unwrap().iter().map(pattern).collect()
}

#[test]
fn every_pair_casts_as_written_from_any_strides() {
    let fixture: Fixture = fixture(include_str!("../../../tensor-base/tests/fixtures/cast.json"));
    assert_eq!(fixture.pairs.len(), 13 * 13);
    for pair in &fixture.pairs {
        let (source, target) = (DType::from_onnx(pair.from).unwrap(), DType::from_onnx(pair.to).unwrap());
        let tensor = of_patterns(&fixture.inputs[&pair.from.to_string()].0, source);
        let cast = tensor.cast(target).unwrap();
        assert!(!cast.shares_buffer(&tensor));
        let got = match_dtype!(target, T => patterns_of::<T>(&cast));
        assert_eq!(got, pair.out.0, "{source} to {target}");
        let reversed = tensor.flip(&[0]).unwrap().cast(target).unwrap();
        assert!(reversed.is_contiguous());
        let got = match_dtype!(target, T => patterns_of::<T>(&reversed.flip(&[0]).unwrap()));
        assert_eq!(got, pair.out.0, "{source} to {target}, reversed");
        if let Ok(strict) = tensor.try_cast(target) {
            assert_eq!(match_dtype!(target, T => patterns_of::<T>(&strict)), pair.out.0);
        }
    }
}
