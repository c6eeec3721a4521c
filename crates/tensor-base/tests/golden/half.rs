//! `half.json`: the four narrowings and four widenings, value by value and as checksums.

use stratal_tensor_base::{half, payload};

use crate::{
    add_to_checksum,
    load::{HexList, fixture},
};

#[derive(serde::Deserialize)]
struct Fixture {
    f32: HexList,
    f16_quiet: HexList,
    f16_preserve: HexList,
    bf16_quiet: HexList,
    bf16_preserve: HexList,
    h16: HexList,
    f16_to_f32_quiet: HexList,
    f16_to_f32_preserve: HexList,
    bf16_to_f32_quiet: HexList,
    bf16_to_f32_preserve: HexList,
    sweep_f32_to_f16_quiet: HexList,
    sweep_f32_to_f16_preserve: HexList,
    sweep_f32_to_bf16_quiet: HexList,
    sweep_f32_to_bf16_preserve: HexList,
    sweep_f16_to_f32_quiet: HexList,
    sweep_f16_to_f32_preserve: HexList,
    sweep_bf16_to_f32_quiet: HexList,
    sweep_bf16_to_f32_preserve: HexList,
}

fn load() -> Fixture {
    fixture(include_str!("../fixtures/half.json"))
}

fn assert_narrows(inputs: &HexList, expected: &HexList, rule: fn(u32) -> u16) {
    assert_eq!(inputs.0.len(), expected.0.len());
    for (input, expected) in inputs.0.iter().zip(&expected.0) {
        assert_eq!(u64::from(rule(*input as u32)), *expected, "{input:#010x}");
    }
}

fn assert_widens(inputs: &HexList, expected: &HexList, rule: fn(u16) -> u32) {
    assert_eq!(inputs.0.len(), expected.0.len());
    for (input, expected) in inputs.0.iter().zip(&expected.0) {
        assert_eq!(u64::from(rule(*input as u16)), *expected, "{input:#06x}");
    }
}

#[test]
fn narrowings_match() {
    let fixture = load();
    assert!(fixture.f32.0.len() > 1000);
    assert_narrows(&fixture.f32, &fixture.f16_quiet, half::f32_to_f16_bits);
    assert_narrows(&fixture.f32, &fixture.f16_preserve, payload::f32_to_f16_bits_preserving_nan);
    assert_narrows(&fixture.f32, &fixture.bf16_quiet, half::f32_to_bf16_bits);
    assert_narrows(&fixture.f32, &fixture.bf16_preserve, payload::f32_to_bf16_bits_preserving_nan);
}

#[test]
fn widenings_match() {
    let fixture = load();
    assert_widens(&fixture.h16, &fixture.f16_to_f32_quiet, half::f16_to_f32_bits);
    assert_widens(&fixture.h16, &fixture.f16_to_f32_preserve, payload::f16_to_f32_bits_preserving_nan);
    assert_widens(&fixture.h16, &fixture.bf16_to_f32_quiet, half::bf16_to_f32_bits);
    assert_widens(&fixture.h16, &fixture.bf16_to_f32_preserve, payload::bf16_to_f32_bits_preserving_nan);
}

#[test]
fn widenings_match_the_checksums_over_all_patterns() {
    let fixture = load();
    let assert_sum = |expected: &HexList, rule: fn(u16) -> u32| {
        let sum = (0..=u16::MAX).fold(0, |sum, pattern| add_to_checksum(sum, pattern.into(), rule(pattern).into()));
        assert_eq!(expected.0, [sum]);
    };
    assert_sum(&fixture.sweep_f16_to_f32_quiet, half::f16_to_f32_bits);
    assert_sum(&fixture.sweep_f16_to_f32_preserve, payload::f16_to_f32_bits_preserving_nan);
    assert_sum(&fixture.sweep_bf16_to_f32_quiet, half::bf16_to_f32_bits);
    assert_sum(&fixture.sweep_bf16_to_f32_preserve, payload::bf16_to_f32_bits_preserving_nan);
}

/// All 2^32 floats are the business of `cargo xtask verify`; here the chunks of 2^24 in which most happens: subnormal
/// and overflowing binary16, ordinary numbers of both signs, NaNs of both signs.
#[test]
fn narrowings_match_the_checksums_of_the_telling_chunks() {
    let fixture = load();
    let assert_sums = |expected: &HexList, rule: fn(u32) -> u16| {
        assert_eq!(expected.0.len(), 256);
        for chunk in [0x33, 0x38, 0x47, 0x7F, 0xB3, 0xC7, 0xFF_u32] {
            let first = chunk << 24;
            let sum = (first..=first | 0x00FF_FFFF)
                .fold(0, |sum, pattern| add_to_checksum(sum, pattern.into(), rule(pattern).into()));
            assert_eq!(sum, expected.0[chunk as usize], "chunk {chunk:#x}");
        }
    };
    assert_sums(&fixture.sweep_f32_to_f16_quiet, half::f32_to_f16_bits);
    assert_sums(&fixture.sweep_f32_to_f16_preserve, payload::f32_to_f16_bits_preserving_nan);
    assert_sums(&fixture.sweep_f32_to_bf16_quiet, half::f32_to_bf16_bits);
    assert_sums(&fixture.sweep_f32_to_bf16_preserve, payload::f32_to_bf16_bits_preserving_nan);
}

#[test]
fn preserving_round_trips_are_the_identity() {
    for pattern in 0..=u16::MAX {
        let f16_back = payload::f32_to_f16_bits_preserving_nan(payload::f16_to_f32_bits_preserving_nan(pattern));
        assert_eq!(f16_back, pattern);
        let bf16_back = payload::f32_to_bf16_bits_preserving_nan(payload::bf16_to_f32_bits_preserving_nan(pattern));
        assert_eq!(bf16_back, pattern);
    }
}
