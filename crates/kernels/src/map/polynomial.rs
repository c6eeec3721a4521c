//! Polynomials, by Horner's rule with fused multiply-add: the fewest instructions, and the last rounding counts most.

use crate::simd::{Double, Float, Simd};

/// The polynomial with these coefficients, from the constant upwards.
#[inline(always)]
pub(super) fn horner<S: Simd, const N: usize>(simd: S, x: S::F32, coefficients: [f32; N]) -> S::F32 {
    let mut sum = simd.f32(coefficients[N - 1]);
    for coefficient in coefficients[..N - 1].iter().rev() {
        sum = sum.mul_add(x, simd.f32(*coefficient));
    }
    sum
}

/// The same in f64.
#[inline(always)]
pub(super) fn horner_f64<S: Simd, const N: usize>(simd: S, x: S::F64, coefficients: [f64; N]) -> S::F64 {
    let mut sum = simd.f64(coefficients[N - 1]);
    for coefficient in coefficients[..N - 1].iter().rev() {
        sum = sum.mul_add(x, simd.f64(*coefficient));
    }
    sum
}
