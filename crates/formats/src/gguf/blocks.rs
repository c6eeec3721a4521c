//! Decoding packed blocks to f32: one function a block type, from the bytes of a block to its weights.
//!
//! Each function says how its bytes lie. Integers are little-endian, scales are binary16 where nothing else is said, and
//! the weights come in the order of the row. Most types store the small integers of a block in *runs*, which
//! [`digits`] unpacks; the integers and the scales are multiplied as f32. The layouts and numbers are ggml's, in which
//! the format is defined.

mod code_words;
mod codebooks;
mod four_bit_floats;
mod k_quants;
mod nonlinear;
mod round;
mod ternary;

pub(super) use code_words::{iq1_m, iq1_s, iq2_s, iq2_xs, iq2_xxs, iq3_s, iq3_xxs};
pub(super) use four_bit_floats::{mxfp4, nvfp4};
pub(super) use k_quants::{q2_k, q3_k, q4_k, q5_k, q6_k};
pub(super) use nonlinear::{iq4_nl, iq4_xs};
pub(super) use round::{q4_0, q4_1, q5_0, q5_1, q8_0};
use stratal_tensor_base::f16;
pub(super) use ternary::{tq1_0, tq2_0};

/// Decodes block after block. What is left of either side is left alone; callers have compared the lengths.
pub(super) fn each_block<const BYTES: usize, const WEIGHTS: usize>(
    bytes: &[u8],
    weights: &mut [f32],
    decode: impl Fn(&[u8; BYTES], &mut [f32; WEIGHTS]),
) {
    let (blocks, _) = bytes.as_chunks();
    let (targets, _) = weights.as_chunks_mut();
    for (block, target) in blocks.iter().zip(targets) {
        decode(block, target);
    }
}

/// The binary16 number at a place.
fn f16_at(block: &[u8], offset: usize) -> f32 {
    f16::from_bits(u16_at(block, offset)).to_f32()
}

fn u16_at(block: &[u8], offset: usize) -> u16 {
    u16::from_le_bytes([block[offset], block[offset + 1]])
}

fn u32_at(block: &[u8], offset: usize) -> u32 {
    u32::from(u16_at(block, offset)) | u32::from(u16_at(block, offset + 2)) << 16
}

/// Unpacks integers of `BITS` bits that lie in runs of `RUN` bytes.
///
/// A run has first the lowest bits of each of its bytes, then the next higher bits of each, and so on:
///
/// ```text
/// BITS = 4, RUN = 16:   byte 0      byte 1      ...  byte 15
///                     | 16 |  0 | | 17 |  1 |      | 31 | 15 |      (high bits to the left)
/// ```
///
/// So a run of one byte is a plain sequence, lowest bits first.
fn digits<const BITS: usize, const RUN: usize, const COUNT: usize>(bytes: &[u8]) -> [u8; COUNT] {
    debug_assert_eq!(bytes.len() * 8, COUNT * BITS, "all bits are used");
    let mask = 0xFF >> (8 - BITS);
    let mut digits = [0; COUNT];
    for (run, packed) in digits.chunks_exact_mut(RUN * 8 / BITS).zip(bytes.chunks_exact(RUN)) {
        for (plane, digits) in run.chunks_exact_mut(RUN).enumerate() {
            for (digit, byte) in digits.iter_mut().zip(packed) {
                *digit = byte >> (plane * BITS) & mask;
            }
        }
    }
    digits
}

/// Writes one group of weights after another, each with a scale of its own.
fn scaled<const GROUP: usize>(weights: &mut [f32], digits: &[i8], scale: impl Fn(usize) -> f32) {
    debug_assert_eq!(weights.len(), digits.len(), "a digit for each weight");
    for (group, (weights, digits)) in weights.chunks_exact_mut(GROUP).zip(digits.chunks_exact(GROUP)).enumerate() {
        let scale = scale(group);
        for (weight, digit) in weights.iter_mut().zip(digits) {
            *weight = scale * f32::from(*digit);
        }
    }
}

/// As [`scaled`], with a minimum for each group that is subtracted.
fn scaled_above<const GROUP: usize>(weights: &mut [f32], digits: &[u8], scale: impl Fn(usize) -> (f32, f32)) {
    debug_assert_eq!(weights.len(), digits.len(), "a digit for each weight");
    for (group, (weights, digits)) in weights.chunks_exact_mut(GROUP).zip(digits.chunks_exact(GROUP)).enumerate() {
        let (scale, minimum) = scale(group);
        for (weight, digit) in weights.iter_mut().zip(digits) {
            *weight = scale * f32::from(*digit) - minimum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_one_byte_are_a_sequence() {
        assert_eq!(digits::<2, 1, 8>(&[0b11_10_01_00, 0b00_01_10_11]), [0, 1, 2, 3, 3, 2, 1, 0]);
        assert_eq!(digits::<1, 1, 8>(&[0b1000_0001]), [1, 0, 0, 0, 0, 0, 0, 1]);
    }

    #[test]
    fn runs_have_the_lowest_bits_of_all_bytes_first() {
        assert_eq!(digits::<4, 2, 8>(&[0x31, 0x42, 0x75, 0x86]), [1, 2, 3, 4, 5, 6, 7, 8]);
    }
}
