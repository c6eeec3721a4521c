//! Conversions between slices of f32 and of 16-bit floats, in portable code that compilers vectorise.
//!
//! The results are the scalar rules' bits for every pattern and length. The 16-bit formats with f16's narrow exponent
//! need case distinctions, which the scalar rule makes with branches; here every case is computed and one selected, so
//! that neighbouring elements can share a vector register.

use crate::{
    CastError, bf16, f16,
    half::{
        EXPONENT_SHIFT, F16_INFINITY, F16_OVERFLOW, F16_SMALLEST_NORMAL, F32_INFINITY, F32_MAGNITUDE, F32_QUIET,
        bf16_to_f32_bits, f32_to_bf16_bits, sign_of_f32,
    },
    payload::{bf16_to_f32_bits_preserving_nan, f32_to_bf16_bits_preserving_nan},
};

macro_rules! slice_conversions {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident($source:ty) -> $target:ty, $rule:expr;
    )+) => {
        $(
            $(#[doc = $doc])+
            ///
            /// # Errors
            /// [`CastError::LengthMismatch`] when the slices differ in length; nothing is written then.
            pub fn $name(source: &[$source], target: &mut [$target]) -> Result<(), CastError> {
                let rule: fn(_) -> _ = $rule;
                map_slice(source, target, |value: $source| <$target>::from_bits(rule(value.to_bits())))
            }
        )+
    };
}

slice_conversions! {
    /// [`f32_to_f16`](crate::half::f32_to_f16) over slices.
    f32_to_f16_slice(f32) -> f16, f32_to_f16_lane;
    /// [`f16_to_f32`](crate::half::f16_to_f32) over slices.
    f16_to_f32_slice(f16) -> f32, f16_to_f32_lane;
    /// [`f32_to_bf16`](crate::half::f32_to_bf16) over slices.
    f32_to_bf16_slice(f32) -> bf16, f32_to_bf16_bits;
    /// [`bf16_to_f32`](crate::half::bf16_to_f32) over slices.
    bf16_to_f32_slice(bf16) -> f32, bf16_to_f32_bits;
    /// [`payload::f32_to_f16_bits_preserving_nan`](crate::payload::f32_to_f16_bits_preserving_nan) over slices.
    f32_to_f16_slice_preserving_nan(f32) -> f16, f32_to_f16_lane_preserving_nan;
    /// [`payload::f16_to_f32_bits_preserving_nan`](crate::payload::f16_to_f32_bits_preserving_nan) over slices.
    f16_to_f32_slice_preserving_nan(f16) -> f32, widen_f16_lane;
    /// [`payload::f32_to_bf16_bits_preserving_nan`](crate::payload::f32_to_bf16_bits_preserving_nan) over slices.
    f32_to_bf16_slice_preserving_nan(f32) -> bf16, f32_to_bf16_bits_preserving_nan;
    /// [`payload::bf16_to_f32_bits_preserving_nan`](crate::payload::bf16_to_f32_bits_preserving_nan) over slices.
    bf16_to_f32_slice_preserving_nan(bf16) -> f32, bf16_to_f32_bits_preserving_nan;
}

/// Fills `target` with `rule` of each element of `source`.
#[inline(always)]
pub(crate) fn map_slice<S: Copy, T>(source: &[S], target: &mut [T], rule: impl Fn(S) -> T) -> Result<(), CastError> {
    if source.len() != target.len() {
        return Err(CastError::LengthMismatch { source_length: source.len(), target_length: target.len() });
    }
    for (target, source) in target.iter_mut().zip(source) {
        *target = rule(*source);
    }
    Ok(())
}

#[inline(always)]
fn f32_to_f16_lane(bits: u32) -> u16 {
    let magnitude = bits & F32_MAGNITUDE;
    let nan = 0x7E00 | magnitude >> 13 & 0x01FF;
    select_f16(bits, nan)
}

#[inline(always)]
fn f32_to_f16_lane_preserving_nan(bits: u32) -> u16 {
    let payload = (bits & F32_MAGNITUDE) >> 13 & 0x03FF;
    let nan = 0x7C00 | if payload == 0 { 0x0200 } else { payload };
    select_f16(bits, nan)
}

/// Rounds to binary16 by computing all four cases; `nan` is the magnitude to return for a NaN.
#[inline(always)]
fn select_f16(bits: u32, nan: u32) -> u16 {
    /// The binary32 0.5, whose last bit is worth 2^-24, one unit of a subnormal binary16.
    const HALF: u32 = 0x3F00_0000;
    let magnitude = bits & F32_MAGNITUDE;
    let rebiased = magnitude.wrapping_sub(EXPONENT_SHIFT);
    let normal = rebiased.wrapping_add(0x0FFF + (magnitude >> 13 & 1)) >> 13;
    // Adding 0.5 makes the addition itself round to whole units, nearest even; they are then the low bits of the sum.
    let sum = f32::from_bits(magnitude) + f32::from_bits(HALF);
    let subnormal = sum.to_bits().wrapping_sub(HALF);
    let finite = if magnitude < F16_SMALLEST_NORMAL { subnormal } else { normal };
    let number = if magnitude >= F16_OVERFLOW { F16_INFINITY as u32 } else { finite };
    let rounded = if magnitude > F32_INFINITY { nan } else { number };
    rounded as u16 | sign_of_f32(bits)
}

#[inline(always)]
fn f16_to_f32_lane(bits: u16) -> u32 {
    let widened = widen_f16_lane(bits);
    let quiet = if widened & F32_MAGNITUDE > F32_INFINITY { F32_QUIET } else { 0 };
    widened | quiet
}

/// Widens binary16 by computing all three cases.
#[inline(always)]
fn widen_f16_lane(bits: u16) -> u32 {
    let sign = u32::from(bits & 0x8000) << 16;
    let magnitude = u32::from(bits & 0x7FFF);
    let normal = (magnitude << 13) + EXPONENT_SHIFT;
    let special = normal + EXPONENT_SHIFT;
    // With the exponent of 2^-14 the fraction is too large by 2^-14; the subtraction is exact.
    let offset = f32::from_bits((magnitude << 13).wrapping_add(F16_SMALLEST_NORMAL));
    let subnormal = (offset - f32::from_bits(F16_SMALLEST_NORMAL)).to_bits();
    let finite = if magnitude < 0x0400 { subnormal } else { normal };
    sign | if magnitude >= u32::from(F16_INFINITY) { special } else { finite }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{half, payload};
    use std::{vec, vec::Vec};

    /// Every 16-bit pattern in the upper half of a binary32, over lower halves that reach each rounding case.
    fn inputs() -> Vec<f32> {
        let lower = [0_u32, 1, 0x0FFF, 0x1000, 0x1001, 0x2000, 0x3000, 0x7FFF, 0x8000, 0x8001, 0xFFFF];
        (0..=0xFFFF_u32).flat_map(|upper| lower.map(|lower| f32::from_bits(upper << 16 | lower))).collect()
    }

    macro_rules! assert_slices_follow_the_rule {
        ($inputs:expr, $source:ty, $target:ty, $($slice:expr => $rule:expr),+) => {
            let inputs: Vec<$source> = $inputs;
            let mut target = vec![<$target>::from_bits(0); inputs.len()];
            $(
                $slice(&inputs, &mut target).unwrap();
                for (input, output) in inputs.iter().zip(&target) {
                    assert_eq!(output.to_bits(), $rule(input.to_bits()), "{:#x}", input.to_bits());
                }
            )+
        };
    }

    #[test]
    fn slices_give_the_bits_of_the_scalar_rules() {
        assert_slices_follow_the_rule!(inputs(), f32, f16,
            f32_to_f16_slice => half::f32_to_f16_bits,
            f32_to_f16_slice_preserving_nan => payload::f32_to_f16_bits_preserving_nan);
        assert_slices_follow_the_rule!(inputs(), f32, bf16,
            f32_to_bf16_slice => half::f32_to_bf16_bits,
            f32_to_bf16_slice_preserving_nan => payload::f32_to_bf16_bits_preserving_nan);
        assert_slices_follow_the_rule!((0..=u16::MAX).map(f16::from_bits).collect(), f16, f32,
            f16_to_f32_slice => half::f16_to_f32_bits,
            f16_to_f32_slice_preserving_nan => payload::f16_to_f32_bits_preserving_nan);
        assert_slices_follow_the_rule!((0..=u16::MAX).map(bf16::from_bits).collect(), bf16, f32,
            bf16_to_f32_slice => half::bf16_to_f32_bits,
            bf16_to_f32_slice_preserving_nan => payload::bf16_to_f32_bits_preserving_nan);
    }

    #[test]
    fn every_length_and_start_is_served() {
        let inputs: Vec<f32> = (0..80).map(|index| 0.3 * index as f32 - 9.0).collect();
        for start in 0..8 {
            for end in start..inputs.len() {
                let source = &inputs[start..end];
                let mut target = vec![f16::from_bits(0xFFFF); source.len()];
                f32_to_f16_slice(source, &mut target).unwrap();
                assert!(source.iter().zip(&target).all(|(value, got)| half::f32_to_f16(*value) == *got));
            }
        }
    }

    #[test]
    fn unequal_lengths_are_an_error_and_write_nothing() {
        let mut target = [f16::ONE; 3];
        let error = f32_to_f16_slice(&[0.0; 2], &mut target).unwrap_err();
        assert_eq!(error, CastError::LengthMismatch { source_length: 2, target_length: 3 });
        assert_eq!(target, [f16::ONE; 3]);
    }
}
