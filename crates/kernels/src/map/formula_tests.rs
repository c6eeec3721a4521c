//! What tests of formulas share: results of one element, the same bits everywhere, the error against f64.

use bytemuck::{cast_slice, cast_slice_mut};
use stratal_tensor_base::DType;

use super::{Binary, Unary};
use crate::simd::{Isa, LANES, Portable};

/// The result of one element, as the reference backend computes it.
pub(super) fn at<F: Unary + Copy>(formula: F, x: f32) -> f32 {
    run(Isa::Reference(Portable), formula, &[x; LANES])[0]
}

/// The result of one pair, as the reference backend computes it.
pub(super) fn at_pair<F: Binary + Copy>(formula: F, a: f32, b: f32) -> f32 {
    run_pairs(Isa::Reference(Portable), formula, &[a; LANES], &[b; LANES])[0]
}

/// Asserts that two results are the same as is promised: bit by bit, any NaN equal to any other.
#[track_caller]
pub(super) fn assert_same(found: f32, expected: f32, input: &dyn std::fmt::Debug) {
    let is_same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
    assert!(is_same, "{input:?} gave {found:e}, expected {expected:e}");
}

/// Asserts results; a NaN stands for any.
#[track_caller]
pub(super) fn assert_values<F: Unary + Copy>(formula: F, table: &[(f32, f32)]) {
    for (x, expected) in table {
        assert_same(at(formula, *x), *expected, &(formula, x));
    }
}

/// Asserts that every instruction set of this machine gives the bits of the reference.
#[track_caller]
pub(super) fn assert_same_bits<F: Unary + Copy>(formula: F) {
    for inputs in sample().as_chunks::<LANES>().0 {
        let expected = inputs.map(|x| at(formula, x));
        for isa in vector_isas() {
            for ((found, expected), x) in run(isa, formula, inputs).into_iter().zip(expected).zip(inputs) {
                assert_same(found, expected, &(formula, isa, x));
            }
        }
    }
}

/// Asserts the distance from the exact value, in units of the last place of an f32 there.
#[track_caller]
pub(super) fn assert_error_within<F: Unary + Copy>(formula: F, bound: f64, exact: impl Fn(f64) -> f64) {
    for x in sample() {
        let (found, exact) = (at(formula, x), exact(x.into()));
        let error = ulps(found, exact);
        assert!(error <= bound, "{formula:?} of {x:e} is {found:e}, {error} ulp from {exact:e}");
    }
}

/// Asserts both for pairs: the same bits everywhere, and the distance from the exact value.
#[track_caller]
pub(super) fn assert_pairs<F: Binary + Copy>(
    formula: F,
    bound: f64,
    exact: impl Fn(f64, f64) -> f64,
    pairs: &[(f32, f32)],
) {
    for chunk in pairs.chunks(LANES) {
        let (mut a, mut b) = ([0.0; LANES], [0.0; LANES]);
        for (lane, pair) in chunk.iter().enumerate() {
            (a[lane], b[lane]) = *pair;
        }
        for (lane, (a_lane, b_lane)) in chunk.iter().enumerate() {
            let expected = at_pair(formula, *a_lane, *b_lane);
            for isa in vector_isas() {
                assert_same(run_pairs(isa, formula, &a, &b)[lane], expected, &(formula, isa, a_lane, b_lane));
            }
            let error = ulps(expected, exact((*a_lane).into(), (*b_lane).into()));
            assert!(error <= bound, "{formula:?} of {a_lane:e}, {b_lane:e} is {expected:e}, {error} ulp off");
        }
    }
}

/// Patterns that reach every exponent of both signs, and numbers near the places where formulas change.
fn sample() -> Vec<f32> {
    let patterns = (0..1_u64 << 32).step_by(65_519).map(|bits| f32::from_bits(bits as u32));
    let near_zero = (-120_000..120_000).map(|step| step as f32 * 0.001);
    patterns.chain(near_zero).collect()
}

/// How far a result is from the exact one, in units of the last place that an f32 of that size has.
fn ulps(found: f32, exact: f64) -> f64 {
    // What rounds to infinity is infinity; elsewhere infinity counts as the next power of two.
    const OVERFLOW: f64 = (f32::MAX as f64) + (1_u128 << 103) as f64;
    if found.is_nan() || exact.is_nan() {
        return if found.is_nan() && exact.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if exact.abs() >= OVERFLOW || found == 0.0 && exact.abs() < 1e-60 {
        let is_right = found == exact as f32 && found.is_sign_negative() == exact.is_sign_negative();
        return if is_right { 0.0 } else { f64::INFINITY };
    }
    let found = if found.is_infinite() { 2_f64.powi(128).copysign(found.into()) } else { found.into() };
    let exponent = (exact.to_bits() >> 52 & 0x7FF) as i32 - 1023;
    (found - exact).abs() / 2_f64.powi((exponent - 23).max(-149))
}

fn vector_isas() -> Vec<Isa> {
    crate::Backend::available().into_iter().filter_map(crate::Backend::isa).collect()
}

/// Sixteen results, by what the formula was compiled to.
fn run<F: Unary>(isa: Isa, formula: F, x: &[f32; LANES]) -> [f32; LANES] {
    let mut results = [0.0; LANES];
    formula.run(isa, DType::F32, cast_slice(x), cast_slice_mut(&mut results));
    results
}

/// Sixteen results, by what the formula was compiled to.
fn run_pairs<F: Binary>(isa: Isa, formula: F, a: &[f32; LANES], b: &[f32; LANES]) -> [f32; LANES] {
    let mut results = [0.0; LANES];
    formula.run(isa, DType::F32, cast_slice(a), cast_slice(b), cast_slice_mut(&mut results));
    results
}
