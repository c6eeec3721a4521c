//! `Q4_0`, `Q4_1`, `Q5_0`, `Q5_1`, `Q8_0`: 32 weights rounded to a grid, with one scale and, in the types that end in 1, a
//! minimum.

use super::{digits, f16_at, scaled, scaled_above};

/// ```text
/// 0  scale
/// 2  32 x 4 bits, in a run of 16 bytes: weight = scale * (digit - 8)
/// ```
pub(in crate::gguf) fn q4_0(block: &[u8; 18], weights: &mut [f32; 32]) {
    let scale = f16_at(block, 0);
    let digits = digits::<4, 16, 32>(&block[2..]).map(|digit| digit as i8 - 8);
    scaled::<32>(weights, &digits, |_| scale);
}

/// ```text
/// 0  scale
/// 2  minimum
/// 4  32 x 4 bits, in a run of 16 bytes: weight = scale * digit + minimum
/// ```
pub(in crate::gguf) fn q4_1(block: &[u8; 20], weights: &mut [f32; 32]) {
    let (scale, minimum) = (f16_at(block, 0), f16_at(block, 2));
    scaled_above::<32>(weights, &digits::<4, 16, 32>(&block[4..]), |_| (scale, -minimum));
}

/// ```text
/// 0  scale
/// 2  32 x 1 bit, a sequence: the high bits
/// 6  32 x 4 bits, in a run of 16 bytes: the low bits; weight = scale * (digit - 16)
/// ```
pub(in crate::gguf) fn q5_0(block: &[u8; 22], weights: &mut [f32; 32]) {
    let scale = f16_at(block, 0);
    let digits = five_bits(&block[2..6], &block[6..]).map(|digit| digit as i8 - 16);
    scaled::<32>(weights, &digits, |_| scale);
}

/// ```text
/// 0  scale
/// 2  minimum
/// 4  32 x 1 bit, a sequence: the high bits
/// 8  32 x 4 bits, in a run of 16 bytes: the low bits; weight = scale * digit + minimum
/// ```
pub(in crate::gguf) fn q5_1(block: &[u8; 24], weights: &mut [f32; 32]) {
    let (scale, minimum) = (f16_at(block, 0), f16_at(block, 2));
    scaled_above::<32>(weights, &five_bits(&block[4..8], &block[8..]), |_| (scale, -minimum));
}

/// ```text
/// 0  scale
/// 2  32 x i8: weight = scale * integer
/// ```
pub(in crate::gguf) fn q8_0(block: &[u8; 34], weights: &mut [f32; 32]) {
    let scale = f16_at(block, 0);
    scaled::<32>(weights, bytemuck::cast_slice(&block[2..]), |_| scale);
}

fn five_bits(high: &[u8], low: &[u8]) -> [u8; 32] {
    let high = digits::<1, 1, 32>(high);
    let mut digits = digits::<4, 16, 32>(low);
    for (digit, high) in digits.iter_mut().zip(high) {
        *digit |= high << 4;
    }
    digits
}
