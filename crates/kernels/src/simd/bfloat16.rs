//! Narrowing to bfloat16 with integer instructions, for instruction sets that have no exact one.

use super::{Float, Int, LANES, Simd};

/// Narrows by the default rule: half of the last kept place is added, with the last kept bit to break ties to even; a NaN
/// keeps its upper bits and becomes quiet.
#[inline(always)]
pub(super) fn store<S: Simd>(simd: S, value: S::F32, to: &mut [u16; LANES]) {
    let bits = value.bits();
    let last_kept = bits.shr_logical(16) & simd.i32(1);
    let rounded = bits + simd.i32(0x7FFF) + last_kept;
    let quiet = bits | simd.i32(0x0040_0000);
    simd.select_i32(value.is_nan(), quiet, rounded).shr_logical(16).store_low_u16(to);
}
