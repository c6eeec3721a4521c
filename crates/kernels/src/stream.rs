//! Results too large for the caches: when to bypass them, and a copy that does.

use bytemuck::cast_slice_mut;

use crate::simd::{Int, Isa, LANES, Simd, Streaming, Task};

/// From so many bytes on, a result bypasses the caches: it would push out all else, and be gone itself before it is read.
/// Below, stores into the caches are faster; the last-level share of a core is some megabytes on most machines.
pub(crate) const BYTES: usize = 8 << 20;

/// Copies bytes past the caches. The slices are equally long.
pub(crate) fn copy(isa: Isa, from: &[u8], to: &mut [u8], permission: &Streaming<'_>) {
    let start = to.as_ptr().align_offset(64).min(to.len());
    let middle = start + (to.len() - start) / 64 * 64;
    to[..start].copy_from_slice(&from[..start]);
    to[middle..].copy_from_slice(&from[middle..]);
    if start == middle {
        // Shorter than the way to a boundary: what is left is empty, and may lie on no boundary of words.
        return;
    }
    let (from, to) = (&from[start..middle], &mut to[start..middle]);
    match bytemuck::try_cast_slice(from) {
        Ok(from) => isa.run(Copy { from, to: cast_slice_mut(to), permission }),
        // The source lies differently: words of it begin between words.
        Err(_) => to.copy_from_slice(from),
    }
}

struct Copy<'a> {
    from: &'a [i32],
    to: &'a mut [i32],
    permission: &'a Streaming<'a>,
}

impl Task for Copy<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (from, _) = self.from.as_chunks::<LANES>();
        let (to, _) = self.to.as_chunks_mut::<LANES>();
        for (from, to) in from.iter().zip(to) {
            simd.load_i32(from).stream(to, self.permission);
        }
    }
}
