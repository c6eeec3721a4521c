//! The `IQ1`, `IQ2` and `IQ3` types: 256 weights in groups of four or eight, each group a word of a code book, with signs
//! and scales beside it.

use stratal_tensor_base::f16;

use super::{
    codebooks::{IQ1, IQ2_S, IQ2_XS, IQ2_XXS, IQ3_S, IQ3_XXS},
    digits, f16_at, u16_at, u32_at,
};

/// What the digits of `IQ2` words stand for. These levels, and those below, are part of the format.
const LEVELS_2: [f32; 4] = [8.0, 25.0, 43.0, f32::NAN];
/// What the digits of `IQ3_XXS` words stand for.
const LEVELS_3_XXS: [f32; 8] = [4.0, 12.0, 20.0, 28.0, 36.0, 44.0, 52.0, 62.0];
/// What the digits of `IQ3_S` words stand for.
const LEVELS_3_S: [f32; 8] = [1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.0];
/// How far `IQ1` weights are moved up or down from -1, 0 and 1.
const SHIFT_1: f32 = 0.125;

/// ```text
/// 0  scale
/// 2  8 groups of 32 weights:
///    0  4 x 8 bits: words of eight weights
///    4  4 x 7 bits: signs of eight weights, see `signs_of_seven`; in the highest 4 bits the scale of the group
/// ```
/// weight = scale * (group scale + 1/2) / 4 * level
pub(in crate::gguf) fn iq2_xxs(block: &[u8; 66], weights: &mut [f32; 256]) {
    let scale = f16_at(block, 0);
    for (group, weights) in weights.as_chunks_mut::<32>().0.iter_mut().enumerate() {
        let packed = &block[2 + 8 * group..];
        let signs_and_scale = u32_at(packed, 4);
        let scale = scale * ((signs_and_scale >> 28) as f32 + 0.5) * 0.25;
        for (index, weights) in weights.as_chunks_mut().0.iter_mut().enumerate() {
            let word = IQ2_XXS[usize::from(packed[index])];
            eight(weights, scale, word, signs_of_seven(signs_and_scale >> (7 * index)));
        }
    }
}

/// ```text
/// 0   scale
/// 2   32 x 16 bits: a word of eight weights in the low 9 bits, their signs in the high 7, see `signs_of_seven`
/// 66  16 x 4 bits, a sequence: scales of groups of 16 weights
/// ```
/// weight = scale * (group scale + 1/2) / 4 * level
pub(in crate::gguf) fn iq2_xs(block: &[u8; 74], weights: &mut [f32; 256]) {
    let scale = f16_at(block, 0);
    let scales = digits::<4, 1, 16>(&block[66..]).map(|number| scale * (f32::from(number) + 0.5) * 0.25);
    for (index, weights) in weights.as_chunks_mut().0.iter_mut().enumerate() {
        let packed = u16_at(block, 2 + 2 * index);
        let word = IQ2_XS[usize::from(packed & 511)];
        eight(weights, scales[index / 2], word, signs_of_seven(u32::from(packed >> 9)));
    }
}

/// ```text
/// 0   scale
/// 2   32 x 8 bits: the low bits of words of eight weights
/// 34  32 x 8 bits: their signs
/// 66  32 x 2 bits, a sequence: the high bits of the words
/// 74  16 x 4 bits, a sequence: scales of groups of 16 weights
/// ```
/// weight = scale * (group scale + 1/2) / 4 * level
pub(in crate::gguf) fn iq2_s(block: &[u8; 82], weights: &mut [f32; 256]) {
    let scale = f16_at(block, 0);
    let high = digits::<2, 1, 32>(&block[66..74]);
    let scales = digits::<4, 1, 16>(&block[74..]).map(|number| scale * (f32::from(number) + 0.5) * 0.25);
    for (index, weights) in weights.as_chunks_mut().0.iter_mut().enumerate() {
        let word = IQ2_S[usize::from(block[2 + index]) | usize::from(high[index]) << 8];
        eight(weights, scales[index / 2], word, block[34 + index]);
    }
}

/// ```text
/// 0   scale
/// 2   64 x 8 bits: words of four weights
/// 66  8 groups of 32 weights: 4 x 7 bits: signs of eight weights, see `signs_of_seven`; in the highest 4 bits the scale
/// ```
/// weight = scale * (group scale + 1/2) / 2 * level
pub(in crate::gguf) fn iq3_xxs(block: &[u8; 98], weights: &mut [f32; 256]) {
    let scale = f16_at(block, 0);
    for (index, weights) in weights.as_chunks_mut().0.iter_mut().enumerate() {
        let signs_and_scale = u32_at(block, 66 + 4 * (index / 4));
        let scale = scale * ((signs_and_scale >> 28) as f32 + 0.5) * 0.5;
        let words = [block[2 + 2 * index], block[3 + 2 * index]].map(|word| IQ3_XXS[usize::from(word)]);
        twice_four(weights, scale, words, &LEVELS_3_XXS, signs_of_seven(signs_and_scale >> (7 * (index % 4))));
    }
}

/// ```text
/// 0    scale
/// 2    64 x 8 bits: the low bits of words of four weights
/// 66   64 x 1 bit, a sequence: their high bits
/// 74   32 x 8 bits: signs of eight weights
/// 106  8 x 4 bits, a sequence: scales of groups of 32 weights
/// ```
/// weight = scale * (2 * group scale + 1) * level
pub(in crate::gguf) fn iq3_s(block: &[u8; 110], weights: &mut [f32; 256]) {
    let scale = f16_at(block, 0);
    let high = digits::<1, 1, 64>(&block[66..74]);
    let scales = digits::<4, 1, 8>(&block[106..]).map(|number| scale * f32::from(2 * number + 1));
    for (index, weights) in weights.as_chunks_mut().0.iter_mut().enumerate() {
        let words = [2 * index, 2 * index + 1]
            .map(|index| IQ3_S[usize::from(block[2 + index]) | usize::from(high[index]) << 8]);
        twice_four(weights, scales[index / 4], words, &LEVELS_3_S, block[74 + index]);
    }
}

/// ```text
/// 0   scale
/// 2   32 x 8 bits: the low bits of words of eight weights
/// 34  8 x 16 bits, for groups of 32 weights: 4 x 3 bits: the high bits of the words; 3 bits: the scale of the group;
///     1 bit: set where the weights are moved down
/// ```
/// weight = scale * (2 * group scale + 1) * (digit - 1 ± 1/8)
pub(in crate::gguf) fn iq1_s(block: &[u8; 50], weights: &mut [f32; 256]) {
    let scale = f16_at(block, 0);
    for (index, weights) in weights.as_chunks_mut().0.iter_mut().enumerate() {
        let group = u16_at(block, 34 + 2 * (index / 4));
        let scale = scale * f32::from(2 * (group >> 12 & 7) + 1);
        let word = IQ1[usize::from(block[2 + index]) | usize::from(group >> (3 * (index % 4)) & 7) << 8];
        eight_shifted(weights, scale, word, group >> 15 == 1);
    }
}

/// ```text
/// 0   32 x 8 bits: the low bits of words of eight weights
/// 32  32 x 4 bits, a sequence: 3 bits: the high bits of the word; 1 bit: set where its weights are moved down
/// 48  4 x 16 bits: 4 x 3 bits: scales of groups of 16 weights; in the high 4 bits a quarter of the scale, lowest first
/// ```
/// weight = scale * (2 * group scale + 1) * (digit - 1 ± 1/8)
pub(in crate::gguf) fn iq1_m(block: &[u8; 56], weights: &mut [f32; 256]) {
    let high = digits::<4, 1, 32>(&block[32..48]);
    let groups = [48, 50, 52, 54].map(|offset| u16_at(block, offset));
    let [first, second, third, fourth] = groups.map(|group| group >> 12);
    let scale = f16::from_bits(first | second << 4 | third << 8 | fourth << 12).to_f32();
    for (index, weights) in weights.as_chunks_mut().0.iter_mut().enumerate() {
        let group = index / 2;
        let scale = scale * f32::from(2 * (groups[group / 4] >> (3 * (group % 4)) & 7) + 1);
        let word = IQ1[usize::from(block[index]) | usize::from(high[index] & 7) << 8];
        eight_shifted(weights, scale, word, high[index] >> 3 == 1);
    }
}

/// The signs of eight weights, of which seven bits are stored: the eighth makes the number of minus signs even.
fn signs_of_seven(seven: u32) -> u8 {
    let seven = seven as u8 & 127;
    seven | ((seven.count_ones() as u8 & 1) << 7)
}

/// -1 where the bit is set.
fn sign(signs: u8, index: usize) -> f32 {
    if signs >> index & 1 == 1 { -1.0 } else { 1.0 }
}

fn eight(weights: &mut [f32; 8], scale: f32, word: u16, signs: u8) {
    for (index, weight) in weights.iter_mut().enumerate() {
        *weight = scale * LEVELS_2[usize::from(word >> (2 * index) & 3)] * sign(signs, index);
    }
}

fn twice_four(weights: &mut [f32; 8], scale: f32, words: [u16; 2], levels: &[f32; 8], signs: u8) {
    for (index, weight) in weights.iter_mut().enumerate() {
        let digit = words[index / 4] >> (4 * (index % 4)) & 7;
        *weight = scale * levels[usize::from(digit)] * sign(signs, index);
    }
}

fn eight_shifted(weights: &mut [f32; 8], scale: f32, word: u16, is_down: bool) {
    let shift = if is_down { -SHIFT_1 } else { SHIFT_1 };
    for (index, weight) in weights.iter_mut().enumerate() {
        *weight = scale * (f32::from(word >> (2 * index) & 3) - 1.0 + shift);
    }
}
