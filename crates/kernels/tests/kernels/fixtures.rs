//! The golden vectors of `tensor-base`, through every backend and several layouts, bit for bit, NaN included.

use std::collections::BTreeMap;

use stratal_tensor_base::DType;

use crate::EMULATED;
use crate::array::Array;
use crate::backends::BACKENDS;
use crate::load::{HexList, fixture};
use crate::place::Place;

#[derive(serde::Deserialize)]
struct Casts {
    inputs: BTreeMap<String, HexList>,
    pairs: Vec<Pair>,
    contested: Vec<Contested>,
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

#[derive(serde::Deserialize)]
struct Halves {
    f32: HexList,
    f16_quiet: HexList,
    bf16_quiet: HexList,
    h16: HexList,
    f16_to_f32_quiet: HexList,
    bf16_to_f32_quiet: HexList,
    sweep_f16_to_f32_quiet: HexList,
    sweep_bf16_to_f32_quiet: HexList,
}

/// Casts elements laid with one stride to a buffer with another.
fn assert_casts(from: DType, to: DType, inputs: &[u64], expected: &[u64]) {
    assert_eq!(inputs.len(), expected.len());
    let count = inputs.len() as i64;
    let layouts: &[(i64, i64)] =
        if EMULATED { &[(1, 1), (2, -1)] } else { &[(1, 1), (2, 1), (-1, 1), (1, 3), (3, -2)] };
    for (source_stride, target_stride) in layouts {
        let source_place = Place::new(&[count], &[*source_stride], 1);
        let target_place = Place::new(&[count], &[*target_stride], 2);
        let mut source = Array::canary(from, source_place.buffer);
        source.scatter(&source_place.positions(), &Array::new(from, inputs.iter().copied()));
        let mut whole = Array::canary(to, target_place.buffer);
        whole.scatter(&target_place.positions(), &Array::new(to, expected.iter().copied()));
        for kernels in BACKENDS.iter() {
            let mut target = Array::canary(to, target_place.buffer);
            kernels.cast(&source.view(&source_place), &mut target.view_mut(&target_place)).unwrap();
            let differs = target_place.positions().into_iter().position(|at| target.get(at) != whole.get(at));
            let case = differs.map(|index| format!("{:#x} instead of {:#x}", inputs[index], expected[index]));
            let context = format!("{from} to {to}, strides {source_stride} and {target_stride}");
            assert!(target == whole, "{context} on {}: {case:?}", kernels.backend());
        }
    }
}

#[test]
fn casts_of_every_pair_of_dtypes() {
    let fixture: Casts = fixture(include_str!("../../../tensor-base/tests/fixtures/cast.json"));
    for pair in &fixture.pairs {
        let (from, to) = (DType::from_onnx(pair.from).unwrap(), DType::from_onnx(pair.to).unwrap());
        assert_casts(from, to, &fixture.inputs[&pair.from.to_string()].0, &pair.out.0);
    }
    assert_eq!(fixture.pairs.len(), 13 * 13);
    assert_eq!(fixture.contested.len(), 4);
    for case in &fixture.contested {
        let (from, to) = (DType::from_onnx(case.from).unwrap(), DType::from_onnx(case.to).unwrap());
        assert_casts(from, to, &case.r#in.0, &case.once.0);
    }
}

#[test]
fn sixteen_bit_floats_narrow_and_widen() {
    let fixture: Halves = fixture(include_str!("../../../tensor-base/tests/fixtures/half.json"));
    assert_casts(DType::F32, DType::F16, &fixture.f32.0, &fixture.f16_quiet.0);
    assert_casts(DType::F32, DType::BF16, &fixture.f32.0, &fixture.bf16_quiet.0);
    assert_casts(DType::F16, DType::F32, &fixture.h16.0, &fixture.f16_to_f32_quiet.0);
    assert_casts(DType::BF16, DType::F32, &fixture.h16.0, &fixture.bf16_to_f32_quiet.0);
}

#[test]
fn widenings_match_the_checksums_over_all_patterns() {
    let fixture: Halves = fixture(include_str!("../../../tensor-base/tests/fixtures/half.json"));
    let sums = [(DType::F16, &fixture.sweep_f16_to_f32_quiet), (DType::BF16, &fixture.sweep_bf16_to_f32_quiet)];
    for (dtype, expected) in sums {
        let all = Array::new(dtype, 0..=u64::from(u16::MAX));
        for kernels in BACKENDS.iter() {
            let mut wide = Array::canary(DType::F32, all.count());
            kernels.cast(&all.row(), &mut wide.row_mut()).unwrap();
            let sum = wide
                .patterns()
                .enumerate()
                .fold(0_u64, |sum, (at, pattern)| sum.wrapping_add(pattern.wrapping_mul(2 * at as u64 + 1)));
            assert_eq!([sum][..], expected.0, "{dtype} on {}", kernels.backend());
        }
    }
}
