//! `IQ4_NL` and `IQ4_XS`: 4-bit digits that stand for sixteen levels, closer together near zero.

use super::{digits, f16_at, scaled};

/// What a digit stands for. The levels are part of the format, chosen in ggml for weights of a bell-shaped distribution.
const LEVELS: [i8; 16] = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];

/// ```text
/// 0  scale
/// 2  32 x 4 bits, in a run of 16 bytes: weight = scale * level
/// ```
pub(in crate::gguf) fn iq4_nl(block: &[u8; 18], weights: &mut [f32; 32]) {
    let scale = f16_at(block, 0);
    let levels = digits::<4, 16, 32>(&block[2..]).map(|digit| LEVELS[usize::from(digit)]);
    scaled::<32>(weights, &levels, |_| scale);
}

/// ```text
/// 0  scale of the scales
/// 2  8 x 2 bits, a sequence: the high bits of the scales of groups of 32 weights
/// 4  8 x 4 bits, a sequence: their low bits; the scale is the number minus 32
/// 8  256 x 4 bits, in runs of 16 bytes
/// ```
pub(in crate::gguf) fn iq4_xs(block: &[u8; 136], weights: &mut [f32; 256]) {
    let scale = f16_at(block, 0);
    let (high, low) = (digits::<2, 1, 8>(&block[2..4]), digits::<4, 1, 8>(&block[4..8]));
    let levels = digits::<4, 16, 256>(&block[8..]).map(|digit| LEVELS[usize::from(digit)]);
    scaled::<32>(weights, &levels, |group| scale * f32::from((low[group] | high[group] << 4) as i8 - 32));
}
