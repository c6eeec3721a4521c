//! `cast.json`: the cast of 56,355 values between all 13 x 13 dtypes, and the ONNX codes that have no dtype.

use std::collections::BTreeMap;

use bytemuck::Pod;
use stratal_tensor_base::{
    CastFrom, DType, DTypeError, DTypeKind, Element, bf16, cast, cast_slice, match_dtype, try_cast,
};

use crate::load::{HexList, fixture};

#[derive(serde::Deserialize)]
struct Fixture {
    dtypes: BTreeMap<String, Description>,
    rejected: BTreeMap<String, String>,
    inputs: BTreeMap<String, HexList>,
    pairs: Vec<Pair>,
    contested: Vec<Contested>,
}

#[derive(serde::Deserialize)]
struct Description {
    name: String,
    bytes: usize,
    kind: String,
}

#[derive(serde::Deserialize)]
struct Pair {
    from: i64,
    to: i64,
    out: HexList,
}

#[derive(serde::Deserialize)]
struct Contested {
    from: i64,
    to: i64,
    r#in: HexList,
    once: HexList,
}

fn load() -> Fixture {
    fixture(include_str!("../fixtures/cast.json"))
}

fn from_pattern<T: Pod>(pattern: u64) -> T {
    bytemuck::pod_read_unaligned(&pattern.to_le_bytes()[..size_of::<T>()])
}

fn to_pattern<T: Pod>(value: T) -> u64 {
    let mut bytes = [0; 8];
    bytes[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(&value));
    u64::from_le_bytes(bytes)
}

fn assert_casts<S: Element, T: CastFrom<S>>(inputs: &[u64], expected: &[u64]) {
    assert_eq!(inputs.len(), expected.len());
    let values: Vec<S> = inputs.iter().map(|pattern| from_pattern(*pattern)).collect();
    let mut slice = vec![T::zeroed(); values.len()];
    cast_slice(&values, &mut slice).unwrap();
    for (position, expected) in expected.iter().enumerate() {
        let case = || format!("{:#x} from {} to {}", inputs[position], S::DTYPE, T::DTYPE);
        assert_eq!(to_pattern(cast::<S, T>(values[position])), *expected, "{}", case());
        assert_eq!(to_pattern(slice[position]), *expected, "{} in a slice", case());
        if let Ok(strict) = try_cast::<S, T>(values[position]) {
            assert_eq!(to_pattern(strict), *expected, "{} strictly", case());
        }
    }
}

#[test]
fn every_pair_of_dtypes_casts_as_written() {
    let fixture = load();
    let mut pairs = 0;
    for pair in &fixture.pairs {
        let (source, target) = (DType::from_onnx(pair.from).unwrap(), DType::from_onnx(pair.to).unwrap());
        let inputs = &fixture.inputs[&pair.from.to_string()].0;
        match_dtype!(source, S => match_dtype!(target, T => assert_casts::<S, T>(inputs, &pair.out.0)));
        pairs += 1;
    }
    assert_eq!(pairs, 13 * 13);
}

#[test]
fn integers_reach_bfloat16_in_one_rounding() {
    for contested in load().contested {
        assert_eq!(contested.to, i64::from(DType::BF16.onnx_code()));
        let (inputs, expected) = (&contested.r#in.0, &contested.once.0);
        match DType::from_onnx(contested.from).unwrap() {
            DType::I32 => assert_casts::<i32, bf16>(inputs, expected),
            DType::U32 => assert_casts::<u32, bf16>(inputs, expected),
            DType::I64 => assert_casts::<i64, bf16>(inputs, expected),
            DType::U64 => assert_casts::<u64, bf16>(inputs, expected),
            narrower => panic!("{narrower} is never contested"),
        }
    }
}

#[test]
fn every_onnx_code_is_a_dtype_or_rejected_by_name() {
    let fixture = load();
    assert_eq!(fixture.dtypes.len(), DType::ALL.len());
    for (code, description) in &fixture.dtypes {
        let dtype = DType::from_onnx(code.parse().unwrap()).unwrap();
        assert_eq!(dtype.onnx_name(), description.name);
        assert_eq!(dtype.size(), description.bytes);
        let kind = match dtype.kind() {
            DTypeKind::Float => "f",
            DTypeKind::Signed => "i",
            DTypeKind::Unsigned => "u",
            DTypeKind::Bool => "b",
        };
        assert_eq!(kind, description.kind);
    }
    for (code, expected) in &fixture.rejected {
        let code = code.parse().unwrap();
        match DType::from_onnx(code) {
            Err(DTypeError::UnsupportedOnnxType { name, code: named }) => {
                assert_eq!((name, named), (expected.as_str(), code));
            }
            other => panic!("code {code}: {other:?}"),
        }
    }
}
