//! NaN payloads: the conversions that keep signaling NaNs, and the rule between f64 and f32.
//!
//! The `_preserving_nan` forms truncate a NaN's payload to the bits that fit and set the quiet bit only where nothing
//! would be left of it; widening never sets it. So 16 to 32 to 16 bits is the identity on every pattern, signaling
//! NaNs included. They differ from the default rule of [`half`](crate::half) on signaling NaNs only.
//!
//! They exist on bit patterns and slices alone: a signaling NaN passed by value may become quiet on the way.

use crate::half::{
    BF16_QUIET, F16_INFINITY, F16_QUIET, F32_INFINITY, F32_MAGNITUDE, F32_QUIET, round_to_bf16, round_to_f16,
    sign_of_f32, widen_f16,
};

const F64_MAGNITUDE: u64 = 0x7FFF_FFFF_FFFF_FFFF;
const F64_INFINITY: u64 = 0x7FF0_0000_0000_0000;
const F64_QUIET: u64 = 0x0008_0000_0000_0000;

/// Rounds binary32 to binary16 as [`f32_to_f16_bits`](crate::half::f32_to_f16_bits) does, but keeps signaling NaNs.
#[inline]
pub const fn f32_to_f16_bits_preserving_nan(bits: u32) -> u16 {
    let magnitude = bits & F32_MAGNITUDE;
    let rounded = if magnitude > F32_INFINITY {
        let payload = (magnitude >> 13) as u16 & 0x03FF;
        F16_INFINITY | if payload == 0 { F16_QUIET } else { payload }
    } else {
        round_to_f16(magnitude)
    };
    sign_of_f32(bits) | rounded
}

/// Widens binary16 to binary32 exactly, the bits of a NaN included.
#[inline]
pub const fn f16_to_f32_bits_preserving_nan(bits: u16) -> u32 {
    widen_f16(bits)
}

/// Rounds binary32 to bfloat16 as [`f32_to_bf16_bits`](crate::half::f32_to_bf16_bits) does, but keeps signaling NaNs.
#[inline]
pub const fn f32_to_bf16_bits_preserving_nan(bits: u32) -> u16 {
    if bits & F32_MAGNITUDE > F32_INFINITY {
        let truncated = (bits >> 16) as u16;
        if truncated & 0x007F == 0 { truncated | BF16_QUIET } else { truncated }
    } else {
        round_to_bf16(bits)
    }
}

/// Widens bfloat16 to binary32 exactly, the bits of a NaN included.
#[inline]
pub const fn bf16_to_f32_bits_preserving_nan(bits: u16) -> u32 {
    (bits as u32) << 16
}

/// Rounds an f64 to the nearest f32, ties to even. A NaN keeps its sign and upper payload bits; its quiet bit is set.
#[inline]
pub const fn f64_to_f32(value: f64) -> f32 {
    let bits = value.to_bits();
    if bits & F64_MAGNITUDE > F64_INFINITY {
        let sign = (bits >> 32) as u32 & 0x8000_0000;
        let payload = (bits >> 29) as u32 & 0x007F_FFFF;
        f32::from_bits(sign | F32_INFINITY | F32_QUIET | payload)
    } else {
        value as f32
    }
}

/// Widens an f32, exactly. A NaN keeps its sign and payload; its quiet bit is set.
#[inline]
pub const fn f32_to_f64(value: f32) -> f64 {
    let bits = value.to_bits();
    if bits & F32_MAGNITUDE > F32_INFINITY {
        let sign = (bits as u64 & 0x8000_0000) << 32;
        let payload = (bits as u64 & 0x007F_FFFF) << 29;
        f64::from_bits(sign | F64_INFINITY | F64_QUIET | payload)
    } else {
        value as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nans_between_f64_and_f32_keep_sign_and_upper_payload_and_turn_quiet() {
        for (wide, narrow) in [
            (0x7FF0_0000_0000_0001_u64, 0x7FC0_0000_u32),
            (0x7FF0_0000_2000_0000, 0x7FC0_0001),
            (0xFFF0_0000_2000_0000, 0xFFC0_0001),
            (0xFFFF_FFFF_FFFF_FFFF, 0xFFFF_FFFF),
            (0x7FF8_0000_0000_0000, 0x7FC0_0000),
        ] {
            assert_eq!(f64_to_f32(f64::from_bits(wide)).to_bits(), narrow, "{wide:#x}");
        }
        for (narrow, wide) in [
            (0x7F80_0001_u32, 0x7FF8_0000_2000_0000_u64),
            (0xFF80_0001, 0xFFF8_0000_2000_0000),
            (0xFFFF_FFFF, 0xFFFF_FFFF_E000_0000),
        ] {
            assert_eq!(f32_to_f64(f32::from_bits(narrow)).to_bits(), wide, "{narrow:#x}");
        }
    }

    #[test]
    fn numbers_between_f64_and_f32_are_the_hardware_s() {
        for value in [0.0, -0.0, 0.1, 1e-46, 1e300, f64::MIN, f64::INFINITY] {
            assert_eq!(f64_to_f32(value).to_bits(), (value as f32).to_bits());
            assert_eq!(f32_to_f64(value as f32).to_bits(), f64::from(value as f32).to_bits());
        }
    }
}
