//! What tests of formulas share: results of one element, equality of bits between instruction sets, errors in ulps.

use super::{BinaryFormula, UnaryFormula};
use crate::simd::{Float, Isa, LANES, Portable, Simd, Task};

/// The result of one element.
pub(super) fn of<F: UnaryFormula>(formula: F, x: f32) -> f32 {
    run(Isa::Reference(Portable), formula, &[x; LANES])[0]
}

/// The result of one pair.
pub(super) fn of_pair<F: BinaryFormula>(formula: F, a: f32, b: f32) -> f32 {
    run_pairs(Isa::Reference(Portable), formula, &[a; LANES], &[b; LANES])[0]
}

/// Compares two results as they are promised: bit by bit, any NaN equal to any other.
#[track_caller]
pub(super) fn assert_same(got: f32, expected: f32, input: &dyn std::fmt::Debug) {
    let is_same = got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan();
    assert!(is_same, "{input:?} gave {got:e}, expected {expected:e}");
}

/// All instruction sets give the same bits on a sample of all floats, and the error is at most `bound` ulp.
#[track_caller]
pub(super) fn assert_formula<F: UnaryFormula>(formula: F, exact: fn(f64) -> f64, bound: f64) {
    // An odd stride visits every exponent, and all positions within a vector.
    for first in (0..=u32::MAX).step_by(65_537 * LANES) {
        let inputs = std::array::from_fn(|lane| f32::from_bits(first.wrapping_add(65_537 * lane as u32)));
        let expected: [f32; LANES] = inputs.map(|x| of(formula, x));
        for isa in vector_isas() {
            for ((got, expected), x) in run(isa, formula, &inputs).into_iter().zip(expected).zip(inputs) {
                assert_same(got, expected, &(isa, x));
            }
        }
        for (got, x) in expected.into_iter().zip(inputs) {
            let error = ulps(got, exact(x.into()));
            assert!(error <= bound, "{x:e} gave {got:e}, {error} ulp off");
        }
    }
}

/// The same for pairs.
#[track_caller]
pub(super) fn assert_binary_formula<F: BinaryFormula>(
    formula: F,
    pairs: &[(f32, f32)],
    exact: fn(f64, f64) -> f64,
    bound: f64,
) {
    for chunk in pairs.chunks(LANES) {
        let (mut a, mut b) = ([0.0; LANES], [0.0; LANES]);
        for (lane, pair) in chunk.iter().enumerate() {
            (a[lane], b[lane]) = *pair;
        }
        for (lane, (a_lane, b_lane)) in chunk.iter().enumerate() {
            let expected = of_pair(formula, *a_lane, *b_lane);
            for isa in vector_isas() {
                assert_same(run_pairs(isa, formula, &a, &b)[lane], expected, &(isa, a_lane, b_lane));
            }
            let error = ulps(expected, exact((*a_lane).into(), (*b_lane).into()));
            assert!(error <= bound, "{a_lane:e}, {b_lane:e} gave {expected:e}, {error} ulp off");
        }
    }
}

/// How far a result is from the exact one, in units of the last place that an f32 of that size has.
fn ulps(got: f32, exact: f64) -> f64 {
    // What rounds to infinity is infinity; elsewhere infinity counts as the next power of two.
    const OVERFLOW: f64 = (f32::MAX as f64) + (1_u128 << 103) as f64;
    if got.is_nan() || exact.is_nan() {
        return if got.is_nan() && exact.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if exact.abs() >= OVERFLOW || got == 0.0 && exact.abs() < 1e-60 {
        let is_right = got == exact as f32 && got.is_sign_negative() == exact.is_sign_negative();
        return if is_right { 0.0 } else { f64::INFINITY };
    }
    let got = if got.is_infinite() { 2_f64.powi(128).copysign(got.into()) } else { got.into() };
    let exponent = (exact.to_bits() >> 52 & 0x7FF) as i32 - 1023;
    (got - exact).abs() / 2_f64.powi((exponent - 23).max(-149))
}

fn vector_isas() -> Vec<Isa> {
    crate::Backend::available().into_iter().filter_map(crate::Backend::isa).collect()
}

fn run<F: UnaryFormula>(isa: Isa, formula: F, x: &[f32; LANES]) -> [f32; LANES] {
    struct Unary<'a, F>(F, &'a [f32; LANES]);
    impl<F: UnaryFormula> Task for Unary<'_, F> {
        type Output = [f32; LANES];

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> [f32; LANES] {
            let mut results = [0.0; LANES];
            self.0.f32(simd, simd.load(self.1)).store(&mut results);
            results
        }
    }
    isa.run(Unary(formula, x))
}

fn run_pairs<F: BinaryFormula>(isa: Isa, formula: F, a: &[f32; LANES], b: &[f32; LANES]) -> [f32; LANES] {
    struct Binary<'a, F>(F, &'a [f32; LANES], &'a [f32; LANES]);
    impl<F: BinaryFormula> Task for Binary<'_, F> {
        type Output = [f32; LANES];

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> [f32; LANES] {
            let mut results = [0.0; LANES];
            self.0.f32(simd, simd.load(self.1), simd.load(self.2)).store(&mut results);
            results
        }
    }
    isa.run(Binary(formula, a, b))
}
