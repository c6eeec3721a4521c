//! Maps on 16-bit floats: widened to f32 in blocks, computed there, and narrowed once.

use crate::convert::{Half, narrow, widen};
use crate::simd::Isa;

/// Elements of a block: the f32 of three operands stay in the first-level cache.
const BLOCK: usize = 512;

/// Computes a result of 16-bit floats by a function on f32.
pub(crate) fn map<const N: usize>(
    isa: Isa,
    half: Half,
    inputs: [&[u16]; N],
    output: &mut [u16],
    function: impl Fn([&[f32]; N], &mut [f32]),
) {
    let mut wide = [[0.0; BLOCK]; N];
    let mut result = [0.0; BLOCK];
    for (index, part) in output.chunks_mut(BLOCK).enumerate() {
        widen_each(isa, half, inputs, index * BLOCK, part.len(), &mut wide);
        let result = &mut result[..part.len()];
        function(wide.each_ref().map(|block| &block[..part.len()]), result);
        narrow(isa, half, result, part);
    }
}

/// Computes a result of bytes, such as truths, by a function on f32.
pub(super) fn map_to_bytes<const N: usize>(
    isa: Isa,
    half: Half,
    inputs: [&[u16]; N],
    output: &mut [u8],
    function: impl Fn([&[f32]; N], &mut [u8]),
) {
    let mut wide = [[0.0; BLOCK]; N];
    for (index, part) in output.chunks_mut(BLOCK).enumerate() {
        widen_each(isa, half, inputs, index * BLOCK, part.len(), &mut wide);
        function(wide.each_ref().map(|block| &block[..part.len()]), part);
    }
}

fn widen_each<const N: usize>(
    isa: Isa,
    half: Half,
    inputs: [&[u16]; N],
    start: usize,
    length: usize,
    wide: &mut [[f32; BLOCK]; N],
) {
    for (input, block) in inputs.iter().zip(wide) {
        widen(isa, half, &input[start..start + length], &mut block[..length]);
    }
}
