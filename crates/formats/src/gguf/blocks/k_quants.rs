//! `Q2_K` to `Q6_K`: 256 weights in groups of 16 or 32, whose scales are integers under a scale of the whole block.

use super::{digits, f16_at, scaled, scaled_above};

/// ```text
/// 0   16 bytes, one a group of 16 weights: scale in the low 4 bits, minimum in the high 4
/// 16  256 x 2 bits, in runs of 32 bytes
/// 80  scale of the scales
/// 82  scale of the minima
/// ```
pub(in crate::gguf) fn q2_k(block: &[u8; 84], weights: &mut [f32; 256]) {
    let (scale, minimum) = (f16_at(block, 80), f16_at(block, 82));
    scaled_above::<16>(weights, &digits::<2, 32, 256>(&block[16..80]), |group| {
        (scale * f32::from(block[group] & 15), minimum * f32::from(block[group] >> 4))
    });
}

/// ```text
/// 0    256 x 1 bit, in a run of 32 bytes: where it is 0, the digit is 4 less
/// 32   256 x 2 bits, in runs of 32 bytes
/// 96   16 x 4 bits, in a run of 8 bytes: the low bits of the scales of groups of 16 weights
/// 104  16 x 2 bits, in a run of 4 bytes: their high bits; the scale is the number minus 32
/// 108  scale of the scales
/// ```
pub(in crate::gguf) fn q3_k(block: &[u8; 110], weights: &mut [f32; 256]) {
    let (scale, low_scales, high_scales) =
        (f16_at(block, 108), digits::<4, 8, 16>(&block[96..104]), digits::<2, 4, 16>(&block[104..108]));
    let high = digits::<1, 32, 256>(&block[..32]);
    let mut digits = digits::<2, 32, 256>(&block[32..96]).map(|digit| digit as i8);
    for (digit, high) in digits.iter_mut().zip(high) {
        *digit += 4 * high as i8 - 4;
    }
    scaled::<16>(weights, &digits, |group| scale * f32::from((low_scales[group] | high_scales[group] << 4) as i8 - 32));
}

/// ```text
/// 0   scale of the scales
/// 2   scale of the minima
/// 4   scales and minima of 8 groups of 32 weights, see `Scales`
/// 16  256 x 4 bits, in runs of 32 bytes
/// ```
pub(in crate::gguf) fn q4_k(block: &[u8; 144], weights: &mut [f32; 256]) {
    let scales = Scales::new(block);
    scaled_above::<32>(weights, &digits::<4, 32, 256>(&block[16..]), |group| scales.of(group));
}

/// ```text
/// 0   scale of the scales
/// 2   scale of the minima
/// 4   scales and minima of 8 groups of 32 weights, see `Scales`
/// 16  256 x 1 bit, in a run of 32 bytes: the high bits
/// 48  256 x 4 bits, in runs of 32 bytes: the low bits
/// ```
pub(in crate::gguf) fn q5_k(block: &[u8; 176], weights: &mut [f32; 256]) {
    let scales = Scales::new(block);
    let high = digits::<1, 32, 256>(&block[16..48]);
    let mut digits = digits::<4, 32, 256>(&block[48..]);
    for (digit, high) in digits.iter_mut().zip(high) {
        *digit |= high << 4;
    }
    scaled_above::<32>(weights, &digits, |group| scales.of(group));
}

/// ```text
/// 0    256 x 4 bits, in runs of 64 bytes: the low bits
/// 128  256 x 2 bits, in runs of 32 bytes: the high bits; the digit is the number minus 32
/// 192  16 x i8: scales of groups of 16 weights
/// 208  scale of the scales
/// ```
pub(in crate::gguf) fn q6_k(block: &[u8; 210], weights: &mut [f32; 256]) {
    let scale = f16_at(block, 208);
    let high = digits::<2, 32, 256>(&block[128..192]);
    let mut digits = digits::<4, 64, 256>(&block[..128]).map(|digit| digit as i8);
    for (digit, high) in digits.iter_mut().zip(high) {
        *digit += (high << 4) as i8 - 32;
    }
    scaled::<16>(weights, &digits, |group| scale * f32::from(block[192 + group] as i8));
}

/// Scales and minima of eight groups, six bits each in twelve bytes (high bits to the left):
///
/// ```text
///  0.. 3   | scale 4..7, bits 4-5 | scale 0..3          |
///  4.. 7   | minimum 4..7, bits 4-5 | minimum 0..3      |
///  8..11   | minimum 4..7, bits 0-3 | scale 4..7, bits 0-3 |
/// ```
struct Scales {
    scale: f32,
    minimum: f32,
    scales: [u8; 8],
    minima: [u8; 8],
}

impl Scales {
    fn new(block: &[u8]) -> Self {
        let packed = &block[4..16];
        let mut scales = [0; 8];
        let mut minima = [0; 8];
        for group in 0..4 {
            let (first, second, third) = (packed[group], packed[group + 4], packed[group + 8]);
            scales[group] = first & 63;
            minima[group] = second & 63;
            scales[group + 4] = third & 15 | first >> 6 << 4;
            minima[group + 4] = third >> 4 | second >> 6 << 4;
        }
        Self { scale: f16_at(block, 0), minimum: f16_at(block, 2), scales, minima }
    }

    fn of(&self, group: usize) -> (f32, f32) {
        (self.scale * f32::from(self.scales[group]), self.minimum * f32::from(self.minima[group]))
    }
}
