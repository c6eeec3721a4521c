//! What functions with a logarithm in them share: taking a number apart into exponent and mantissa.

use crate::simd::{Float, Int, Simd};

/// A number as `2^k * (1 + f)` with `1 + f` in [2/3, 4/3).
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts<S: Simd> {
    /// An integer.
    pub(super) k: S::F32,
    /// Exact: it needs no more digits than the number had.
    pub(super) f: S::F32,
}

impl<S: Simd> Parts<S> {
    /// Takes apart what is positive, normal and finite; anything else gives unspecified parts.
    #[inline(always)]
    pub(super) fn of_normal(simd: S, x: S::F32) -> Self {
        let bits = x.bits();
        let exponent = (bits - simd.i32((2.0_f32 / 3.0).to_bits().cast_signed())).shr(23);
        let f = (bits - exponent.shl(23)).as_f32() - simd.f32(1.0);
        Self { k: exponent.to_f32(), f }
    }

    /// Takes apart what is positive and finite; anything else gives unspecified parts.
    #[inline(always)]
    pub(super) fn of_positive(simd: S, x: S::F32) -> Self {
        let is_subnormal = x.lt(simd.f32(f32::MIN_POSITIVE));
        let normal = simd.select(is_subnormal, x * simd.f32(8_388_608.0), x);
        let Self { k, f } = Self::of_normal(simd, normal);
        Self { k: simd.select(is_subnormal, k - simd.f32(23.0), k), f }
    }
}

/// Whether each lane is positive, normal and finite.
#[inline(always)]
pub(super) fn is_positive_normal<S: Simd>(simd: S, x: S::F32) -> S::Mask {
    const FIRST: i32 = f32::MIN_POSITIVE.to_bits().cast_signed();
    const END: i32 = f32::INFINITY.to_bits().cast_signed();
    // One comparison is enough once the first of them is the lowest integer: all others are above the last.
    (x.bits() + simd.i32(i32::MIN.wrapping_sub(FIRST))).lt(simd.i32(i32::MIN + (END - FIRST)))
}
