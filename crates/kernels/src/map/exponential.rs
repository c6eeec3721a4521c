//! What every formula with an exponential starts from: x = n·ln 2 + r, so that e^x = 2^n·e^r with r near zero.
//!
//! `n` is the integer nearest to x·log2(e), found by adding and subtracting 1.5·2^23 + 127: at that magnitude an f32 has no
//! fraction bits, so the addition rounds, and its low bits are n + 127 as an integer, the exponent field of 2^n. `r` is
//! then x - n·ln 2 with ln 2 in two parts (Cody and Waite), the larger in a fused multiply-add whose result is exact, for
//! |x| to about 2000.
//!
//! The polynomial for e^r is 1 + r + c2·r² + … + c6·r⁶, a minimax fit of the relative error on ±1.0005·ln 2 / 2 with the
//! first two coefficients held at 1: Remez exchange in f64, then each coefficient rounded to f32, lowest power first, and
//! the later ones fitted again. Its own error is 3.1e-9, a twentieth of half an ulp.

use crate::simd::{Float, Int, Simd};

/// 1.5·2^23 + 127: adding it rounds a float below 2^21 to an integer.
const ROUND: f32 = 12_583_039.0;
/// log2(e).
const LOG2_E: f32 = std::f32::consts::LOG2_E;
/// ln 2 as an f32, and what that lacks.
const LN_2: [f32; 2] = [std::f32::consts::LN_2, -1.904_654_2e-9];
/// c2 to c6.
const COEFFICIENTS: [f32; 5] = [0.499_999_94, 0.166_665_21, 0.041_668_262, 0.008_368_671, 0.001_382_089_5];

/// x = n·ln 2 + r.
pub(super) struct Split<S: Simd> {
    /// n + `ROUND`.
    shifted: S::F32,
    /// n, an integer.
    pub(super) n: S::F32,
    /// r, within ±0.3467.
    pub(super) r: S::F32,
}

/// Splits `x` of a magnitude of at most 2000. NaN gives NaN in `r`.
#[inline(always)]
pub(super) fn split<S: Simd>(simd: S, x: S::F32) -> Split<S> {
    let [shifted, n, r] = reduce(simd, x);
    Split { shifted, n, r: n.mul_add(simd.f32(-LN_2[1]), r) }
}

/// Splits `x + low`, where `low` is below an ulp of `x` and says what that lacks.
#[inline(always)]
pub(super) fn split_sum<S: Simd>(simd: S, x: S::F32, low: S::F32) -> Split<S> {
    let [shifted, n, r] = reduce(simd, x);
    Split { shifted, n, r: r + n.mul_add(simd.f32(-LN_2[1]), low) }
}

/// n + `ROUND`, n, and x less n times the larger part of ln 2.
#[inline(always)]
fn reduce<S: Simd>(simd: S, x: S::F32) -> [S::F32; 3] {
    let shifted = x.mul_add(simd.f32(LOG2_E), simd.f32(ROUND));
    let n = shifted - simd.f32(ROUND);
    [shifted, n, n.mul_add(simd.f32(-LN_2[0]), x)]
}

impl<S: Simd> Split<S> {
    /// 2^n, for n within -126..=127.
    #[inline(always)]
    pub(super) fn power(&self) -> S::F32 {
        self.shifted.bits().shl(23).as_f32()
    }
}

/// e^r for a remainder: two roundings matter, so the error stays below 0.9 ulp.
#[inline(always)]
pub(super) fn exp<S: Simd>(simd: S, r: S::F32) -> S::F32 {
    let one = simd.f32(1.0);
    quotient(simd, r).mul_add(r, one).mul_add(r, one)
}

/// e^r - 1 for a remainder: little more than one rounding.
#[inline(always)]
pub(super) fn expm1<S: Simd>(simd: S, r: S::F32) -> S::F32 {
    quotient(simd, r).mul_add(r * r, r)
}

/// e^r - 1 - r for a remainder, at most 0.07.
#[inline(always)]
pub(super) fn expm1_less_r<S: Simd>(simd: S, r: S::F32) -> S::F32 {
    quotient(simd, r) * (r * r)
}

/// e^r for a remainder as the sum of two floats, the second below 0.07.
#[inline(always)]
pub(super) fn exp_sum<S: Simd>(simd: S, r: S::F32) -> [S::F32; 2] {
    let one = simd.f32(1.0);
    let high = one + r;
    [high, quotient(simd, r).mul_add(r * r, (one - high) + r)]
}

/// (e^r - 1 - r) / r².
#[inline(always)]
fn quotient<S: Simd>(simd: S, r: S::F32) -> S::F32 {
    let [c2, c3, c4, c5, c6] = COEFFICIENTS.map(|value| simd.f32(value));
    c6.mul_add(r, c5).mul_add(r, c4).mul_add(r, c3).mul_add(r, c2)
}
