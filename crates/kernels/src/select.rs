//! Choosing between two operands element by element: bits are moved, whatever they mean.

use bytemuck::{Pod, cast_slice, cast_slice_mut};

use crate::simd::{Isa, Simd, Task};

/// Chooses elements of a size of 1, 2, 4 or 8 bytes. All slices hold equally many elements and are aligned for them; a
/// condition is true unless it is 0.
pub(crate) fn run(isa: Isa, size: usize, condition: &[u8], then: &[u8], otherwise: &[u8], result: &mut [u8]) {
    match size {
        1 => isa.run(Select { condition, then, otherwise, result }),
        2 => words::<u16>(isa, condition, then, otherwise, result),
        4 => words::<u32>(isa, condition, then, otherwise, result),
        _ => words::<u64>(isa, condition, then, otherwise, result),
    }
}

fn words<W: Pod>(isa: Isa, condition: &[u8], then: &[u8], otherwise: &[u8], result: &mut [u8]) {
    let (then, otherwise) = (cast_slice::<u8, W>(then), cast_slice(otherwise));
    isa.run(Select { condition, then, otherwise, result: cast_slice_mut(result) });
}

struct Select<'a, W> {
    condition: &'a [u8],
    then: &'a [W],
    otherwise: &'a [W],
    result: &'a mut [W],
}

impl<W: Pod> Task for Select<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _simd: S) {
        let operands = self.condition.iter().zip(self.then).zip(self.otherwise);
        for (((condition, then), otherwise), result) in operands.zip(self.result) {
            *result = if *condition != 0 { *then } else { *otherwise };
        }
    }
}
