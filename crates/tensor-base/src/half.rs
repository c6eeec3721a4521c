//! The default rule between f32 and the 16-bit floats: nearest, ties to even; every NaN comes out quiet.
//!
//! Sources: binary16 is IEEE 754-2019 clause 3.6 with the rounding of clause 4.3.1; bfloat16 is the upper half of a
//! binary32. The results are those of the instructions VCVTPS2PH and VCVTPH2PS for all patterns.
//!
//! Each conversion comes in two forms: on bit patterns (`_bits`), which is the rule, and on values. The forms on bits
//! never let a NaN pass through a floating-point register, where some machines would change it. The alternative that
//! keeps signaling NaNs is in [`payload`](crate::payload), slices are in [`half_slices`](crate::half_slices).

use crate::{bf16, f16};

/// The bits of a binary32 without its sign.
pub(crate) const F32_MAGNITUDE: u32 = 0x7FFF_FFFF;
/// Positive infinity as a binary32; a larger magnitude is a NaN.
pub(crate) const F32_INFINITY: u32 = 0x7F80_0000;
/// Positive infinity as a binary16; a larger magnitude is a NaN.
pub(crate) const F16_INFINITY: u16 = 0x7C00;
/// The quiet bit of a binary16 NaN.
pub(crate) const F16_QUIET: u16 = 0x0200;
/// The quiet bit of a bfloat16 NaN.
pub(crate) const BF16_QUIET: u16 = 0x0040;
/// The quiet bit of a binary32 NaN.
pub(crate) const F32_QUIET: u32 = 0x0040_0000;
/// 65520, halfway between the largest finite binary16 and the next power of two: from here on infinity is nearest.
pub(crate) const F16_OVERFLOW: u32 = 0x477F_F000;
/// 2^-14, the smallest normal binary16.
pub(crate) const F16_SMALLEST_NORMAL: u32 = 0x3880_0000;
/// 2^-25, half the smallest binary16: up to here zero is nearest, or tied and even.
const F16_UNDERFLOW: u32 = 0x3300_0000;
/// The distance between the exponent biases, 127 and 15, in the exponent field of a binary32.
pub(crate) const EXPONENT_SHIFT: u32 = (127 - 15) << 23;

/// Rounds an f32 to the nearest binary16, ties to even.
///
/// Magnitudes from 65520 up become infinity, magnitudes up to 2^-25 become zero, both with their sign. A NaN stays a
/// NaN: sign and upper payload bits kept, quiet bit set.
///
/// ```
/// use stratal_tensor_base::{f16, half::f32_to_f16};
///
/// assert_eq!(f32_to_f16(65519.996), f16::MAX);
/// assert_eq!(f32_to_f16(65520.0), f16::INFINITY);
/// ```
#[inline]
pub const fn f32_to_f16(value: f32) -> f16 {
    f16::from_bits(f32_to_f16_bits(value.to_bits()))
}

/// Widens a binary16, exactly. A NaN keeps its sign and payload; its quiet bit is set.
#[inline]
pub const fn f16_to_f32(value: f16) -> f32 {
    f32::from_bits(f16_to_f32_bits(value.to_bits()))
}

/// Rounds an f32 to the nearest bfloat16, ties to even.
///
/// What rounds past the largest finite value becomes infinity. A NaN stays a NaN: sign and upper payload bits kept,
/// quiet bit set.
///
/// ```
/// use stratal_tensor_base::half::f32_to_bf16;
///
/// assert_eq!(f32_to_bf16(2.71).to_bits(), 0x402D); // 2.703125
/// ```
#[inline]
pub const fn f32_to_bf16(value: f32) -> bf16 {
    bf16::from_bits(f32_to_bf16_bits(value.to_bits()))
}

/// Widens a bfloat16, exactly. A NaN keeps its sign and payload; its quiet bit is set.
#[inline]
pub const fn bf16_to_f32(value: bf16) -> f32 {
    f32::from_bits(bf16_to_f32_bits(value.to_bits()))
}

/// [`f32_to_f16`] on bit patterns.
#[inline]
pub const fn f32_to_f16_bits(bits: u32) -> u16 {
    let magnitude = bits & F32_MAGNITUDE;
    let rounded = if magnitude > F32_INFINITY {
        F16_INFINITY | F16_QUIET | (magnitude >> 13) as u16 & 0x01FF
    } else {
        round_to_f16(magnitude)
    };
    sign_of_f32(bits) | rounded
}

/// [`f16_to_f32`] on bit patterns.
#[inline]
pub const fn f16_to_f32_bits(bits: u16) -> u32 {
    let widened = widen_f16(bits);
    if widened & F32_MAGNITUDE > F32_INFINITY { widened | F32_QUIET } else { widened }
}

/// [`f32_to_bf16`] on bit patterns.
#[inline]
pub const fn f32_to_bf16_bits(bits: u32) -> u16 {
    if bits & F32_MAGNITUDE > F32_INFINITY { (bits >> 16) as u16 | BF16_QUIET } else { round_to_bf16(bits) }
}

/// [`bf16_to_f32`] on bit patterns.
#[inline]
pub const fn bf16_to_f32_bits(bits: u16) -> u32 {
    let widened = (bits as u32) << 16;
    if widened & F32_MAGNITUDE > F32_INFINITY { widened | F32_QUIET } else { widened }
}

/// The sign of a binary32, where a 16-bit float has it.
#[inline]
pub(crate) const fn sign_of_f32(bits: u32) -> u16 {
    (bits >> 16) as u16 & 0x8000
}

/// The binary16 nearest to a magnitude that is no NaN.
#[inline]
pub(crate) const fn round_to_f16(magnitude: u32) -> u16 {
    if magnitude >= F16_OVERFLOW {
        return F16_INFINITY;
    }
    if magnitude >= F16_SMALLEST_NORMAL {
        // Half a unit less one, plus the last kept bit: rounds up above half, and at half when that bit is odd. A
        // carry out of the significand is a carry into the exponent, which is what rounding up means.
        let rebiased = magnitude - EXPONENT_SHIFT;
        return ((rebiased + 0x0FFF + (rebiased >> 13 & 1)) >> 13) as u16;
    }
    if magnitude <= F16_UNDERFLOW {
        return 0;
    }
    // A subnormal counts units of 2^-24. The significand is an integer of 24 bits whose last bit is worth
    // 2^(exponent - 150), so it moves right by 126 - exponent, which is 14 to 24 here.
    let exponent = magnitude >> 23;
    let significand = magnitude & 0x007F_FFFF | 0x0080_0000;
    let shift = 126 - exponent;
    let units = significand >> shift;
    let remainder = significand & ((1 << shift) - 1);
    let half = 1 << (shift - 1);
    let rounds_up = remainder > half || remainder == half && units & 1 == 1;
    (units + rounds_up as u32) as u16
}

/// The binary32 equal to a binary16, payload bits included.
#[inline]
pub(crate) const fn widen_f16(bits: u16) -> u32 {
    let sign = (bits as u32 & 0x8000) << 16;
    let magnitude = bits as u32 & 0x7FFF;
    let widened = if magnitude >= F16_INFINITY as u32 {
        F32_INFINITY | (magnitude & 0x03FF) << 13
    } else if magnitude >= 0x0400 {
        (magnitude << 13) + EXPONENT_SHIFT
    } else if magnitude == 0 {
        0
    } else {
        // A subnormal is `magnitude` units of 2^-24: its leading one becomes the implicit bit.
        let leading = 31 - magnitude.leading_zeros();
        let exponent = leading + 127 - 24;
        exponent << 23 | (magnitude << (23 - leading)) & 0x007F_FFFF
    };
    sign | widened
}

/// The bfloat16 nearest to a binary32 that is no NaN, sign included.
#[inline]
pub(crate) const fn round_to_bf16(bits: u32) -> u16 {
    // The sum cannot wrap: the largest input is negative infinity, 0xFF80_0000.
    ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rules hold at compile time as well.
    const ONE_THIRD: (u16, u16) = (f32_to_f16_bits(0x3EAA_AAAB), f32_to_bf16_bits(0x3EAA_AAAB));

    #[test]
    fn constants_follow_the_same_rules() {
        assert_eq!(ONE_THIRD, (0x3555, 0x3EAB));
        const WIDENED: f32 = f16_to_f32(f32_to_f16(-1.0 / 3.0));
        assert_eq!(WIDENED, -0.333_251_95);
    }

    #[test]
    fn every_16_bit_value_survives_the_round_trip() {
        for bits in 0..=u16::MAX {
            // A signaling NaN comes back quiet, everything else as it was.
            let is_nan = |infinity: u16| bits & 0x7FFF > infinity;
            let f16_back = f32_to_f16_bits(f16_to_f32_bits(bits));
            assert_eq!(f16_back, bits | if is_nan(F16_INFINITY) { F16_QUIET } else { 0 });
            let bf16_back = f32_to_bf16_bits(bf16_to_f32_bits(bits));
            assert_eq!(bf16_back, bits | if is_nan(0x7F80) { BF16_QUIET } else { 0 });
        }
    }

    #[test]
    fn values_and_bits_agree() {
        for value in [0.0_f32, -1.5, 1e-7, 65_519.996, 3e38, f32::INFINITY] {
            assert_eq!(f32_to_f16(value).to_bits(), f32_to_f16_bits(value.to_bits()));
            assert_eq!(f32_to_bf16(value).to_bits(), f32_to_bf16_bits(value.to_bits()));
            assert_eq!(f16_to_f32(f32_to_f16(value)), f32::from(f32_to_f16(value)));
            assert_eq!(bf16_to_f32(f32_to_bf16(value)), f32::from(f32_to_bf16(value)));
        }
    }
}
