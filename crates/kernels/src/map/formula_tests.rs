//! What the tests of all formulas share: one element, the same bits everywhere, the error against f64.

use super::UnaryFormula;
use crate::simd::{Float, Isa, LANES, Portable, Simd, Task};

/// One vector through a formula.
struct Once<F>(F, [f32; LANES]);

impl<F: UnaryFormula> Task for Once<F> {
    type Output = [f32; LANES];

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> [f32; LANES] {
        let mut results = [0.0; LANES];
        self.0.f32(simd, simd.load(&self.1)).store(&mut results);
        results
    }
}

/// The instruction sets of this machine.
fn machine() -> Vec<Isa> {
    crate::Backend::available().into_iter().filter_map(crate::Backend::isa).collect()
}

/// The formula at one point, as the reference backend computes it.
pub(super) fn at<F: UnaryFormula>(formula: F, x: f32) -> f32 {
    Isa::Reference(Portable).run(Once(formula, [x; LANES]))[0]
}

/// Patterns that reach every exponent of both signs, and numbers near the places where formulas change.
fn sample() -> Vec<f32> {
    let patterns = (0..1_u64 << 32).step_by(65_519).map(|bits| f32::from_bits(bits as u32));
    let near_zero = (-120_000..120_000).map(|step| step as f32 * 0.001);
    patterns.chain(near_zero).collect()
}

/// Asserts that every instruction set of this machine gives the bits of the reference, any NaN for a NaN.
#[track_caller]
pub(super) fn assert_same_bits<F: UnaryFormula>(formula: F) {
    for inputs in sample().as_chunks::<LANES>().0 {
        let expected = inputs.map(|x| at(formula, x));
        for isa in machine() {
            for (lane, &result) in isa.run(Once(formula, *inputs)).iter().enumerate() {
                let (x, expected) = (inputs[lane], expected[lane]);
                let same = result.to_bits() == expected.to_bits() || result.is_nan() && expected.is_nan();
                assert!(same, "{formula:?} of {x:e} is {result:e} with {isa:?}, but {expected:e} with the reference");
            }
        }
    }
}

/// Asserts the distance from the exact value, in units of the last place of an f32 there.
#[track_caller]
pub(super) fn assert_error_within<F: UnaryFormula>(formula: F, bound: f64, exact: impl Fn(f64) -> f64) {
    for x in sample() {
        let (result, exact) = (at(formula, x), exact(f64::from(x)));
        let error = ulps(result, exact);
        assert!(error <= bound, "{formula:?} of {x:e} is {result:e}, {error} ulp from {exact:e}");
    }
}

/// The distance in ulps; an overflow counts as 2^128.
fn ulps(result: f32, exact: f64) -> f64 {
    const OVERFLOW: f64 = 3.402_823_669_209_385e38;
    if result.is_nan() || exact.is_nan() {
        return if result.is_nan() && exact.is_nan() { 0.0 } else { f64::INFINITY };
    }
    let result = f64::from(result).clamp(-OVERFLOW, OVERFLOW);
    let exact = exact.clamp(-OVERFLOW, OVERFLOW);
    let exponent = (exact.abs().to_bits() >> 52) as i32 - 1023;
    let ulp = f64::from(exponent.max(-126) - 23).exp2();
    (result - exact).abs() / ulp
}

/// Asserts results bit by bit; a NaN stands for any.
#[track_caller]
pub(super) fn assert_values<F: UnaryFormula>(formula: F, table: &[(f32, f32)]) {
    for &(x, expected) in table {
        let result = at(formula, x);
        let same = result.to_bits() == expected.to_bits() || result.is_nan() && expected.is_nan();
        assert!(same, "{formula:?} of {x:e} is {result:e}, not {expected:e}");
    }
}
