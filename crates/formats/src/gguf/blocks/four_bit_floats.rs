//! `MXFP4` and `NVFP4`: weights that are floats of four bits (E2M1), under scales that are floats of eight.

use super::{digits, scaled};

/// Twice the value of each float of sign, two bits of exponent and one of mantissa, so that all are integers.
///
/// Source: Open Compute Project, Microscaling Formats (MX) Specification 1.0, "FP4".
const TWICE_E2M1: [i8; 16] = [0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12];

/// ```text
/// 0  scale, E8M0: a power of two, biased by 127
/// 1  32 x E2M1, in a run of 16 bytes
/// ```
pub(in crate::gguf) fn mxfp4(block: &[u8; 17], weights: &mut [f32; 32]) {
    let half_scale = half_of_e8m0(block[0]);
    let floats = digits::<4, 16, 32>(&block[1..]).map(|digit| TWICE_E2M1[usize::from(digit)]);
    scaled::<32>(weights, &floats, |_| half_scale);
}

/// ```text
/// 0  4 x scale of 16 weights, E4M3 without sign, biased by 7
/// 4  64 x E2M1, in runs of 8 bytes
/// ```
pub(in crate::gguf) fn nvfp4(block: &[u8; 36], weights: &mut [f32; 64]) {
    let floats = digits::<4, 8, 64>(&block[4..]).map(|digit| TWICE_E2M1[usize::from(digit)]);
    scaled::<16>(weights, &floats, |group| half_of_e4m3(block[group]));
}

/// Half of 2^(code - 127), exactly; the smallest two are subnormal. The MX specification has 255 for NaN; ggml reads it
/// as one more power, and so do we.
fn half_of_e8m0(code: u8) -> f32 {
    match code {
        0 => f32::from_bits(1 << 21),
        1 => f32::from_bits(1 << 22),
        _ => f32::from_bits(u32::from(code - 1) << 23),
    }
}

/// Half of a float of four bits of exponent and three of mantissa. The sign bit is unused; 0x7F, which would be NaN, is 0
/// as in ggml.
fn half_of_e4m3(code: u8) -> f32 {
    let (exponent, mantissa) = (code >> 3 & 15, f32::from(code & 7));
    match (code, exponent) {
        (0x7F, _) => 0.0,
        (_, 0) => mantissa * (0.5 / 512.0),
        // The power 2^(exponent - 7), halved.
        _ => (1.0 + mantissa / 8.0) * f32::from_bits((u32::from(exponent) + 127 - 7 - 1) << 23),
    }
}
