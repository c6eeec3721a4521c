//! Results in the operands' places, where a formula has no loop of its own for it.

/// Bytes of a block: it stays in the first-level cache.
const BLOCK: usize = 4096;

/// Computes from a copy of each block. The function gets the copy and the place of the result.
pub(super) fn by_copy(bytes: &mut [u8], function: impl Fn(&[u8], &mut [u8])) {
    let mut copy = Aligned([0; BLOCK]);
    for part in bytes.chunks_mut(BLOCK) {
        let copy = &mut copy.0[..part.len()];
        copy.copy_from_slice(part);
        function(copy, part);
    }
}

/// [`by_copy`] with a second operand, equally long.
pub(super) fn by_copy_with(bytes: &mut [u8], other: &[u8], function: impl Fn(&[u8], &[u8], &mut [u8])) {
    let mut copy = Aligned([0; BLOCK]);
    for (part, other) in bytes.chunks_mut(BLOCK).zip(other.chunks(BLOCK)) {
        let copy = &mut copy.0[..part.len()];
        copy.copy_from_slice(part);
        function(copy, other, part);
    }
}

/// Aligned for every element type, and for whole vectors.
#[repr(align(64))]
struct Aligned([u8; BLOCK]);
