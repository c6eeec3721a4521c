//! `TQ1_0` and `TQ2_0`: 256 weights of -1, 0 and 1 under one scale.

use super::{digits, f16_at, scaled};

/// ```text
/// 0   32 bytes of 5 ternary digits: the first of each byte, then the second of each, ...: 160 weights
/// 32  16 bytes of 5 ternary digits, likewise: 80 weights
/// 48  4 bytes of 4 ternary digits, likewise: 16 weights
/// 52  scale; weight = scale * (digit - 1)
/// ```
///
/// A byte is the fraction 0.d1 d2 d3 d4 d5 in base 3, in units of 1/256: times 3, the whole part is the first digit and
/// the fraction has the rest.
pub(in crate::gguf) fn tq1_0(block: &[u8; 54], weights: &mut [f32; 256]) {
    let scale = f16_at(block, 52);
    let (first, rest) = weights.split_at_mut(160);
    let (second, third) = rest.split_at_mut(80);
    for (weights, packed) in [(first, &block[..32]), (second, &block[32..48]), (third, &block[48..52])] {
        let mut power = 1_u8;
        for weights in weights.chunks_exact_mut(packed.len()) {
            for (weight, byte) in weights.iter_mut().zip(packed) {
                let fraction = byte.wrapping_mul(power);
                *weight = scale * f32::from(((u16::from(fraction) * 3) >> 8) as i8 - 1);
            }
            power = power.wrapping_mul(3);
        }
    }
}

/// ```text
/// 0   256 x 2 bits, in runs of 32 bytes
/// 64  scale; weight = scale * (digit - 1)
/// ```
pub(in crate::gguf) fn tq2_0(block: &[u8; 66], weights: &mut [f32; 256]) {
    let scale = f16_at(block, 64);
    let digits = digits::<2, 32, 256>(&block[..64]).map(|digit| digit as i8 - 1);
    scaled::<256>(weights, &digits, |_| scale);
}
