//! Loads and stores: at every place that their type allows, and nowhere else.

use super::super::{Float, Int, Mask, streaming};
use super::{LANES, Simd, Task, instruction_sets};

#[test]
fn arrays_of_any_alignment_are_loaded_and_stored() {
    for (isa, lanes) in instruction_sets() {
        // More starts than there are elements in the longest register.
        for start in 0..2 * LANES {
            isa.run(At { start, lanes });
        }
    }
}

/// Loads from, and stores to, the sixteen elements from `start` of an array that is longer.
#[derive(Debug, Clone, Copy)]
struct At {
    start: usize,
    lanes: usize,
}

const LENGTH: usize = 4 * LANES;

impl At {
    /// The elements to work on.
    fn part<T>(self, all: &[T; LENGTH]) -> &[T; LANES] {
        all[self.start..].first_chunk().expect("starts end before the array does")
    }

    fn part_mut<T>(self, all: &mut [T; LENGTH]) -> &mut [T; LANES] {
        all[self.start..].first_chunk_mut().expect("starts end before the array does")
    }

    /// That the stored lanes are there, and all else is as it was.
    #[track_caller]
    fn assert_stored<T: Copy + PartialEq + std::fmt::Debug>(
        self,
        before: T,
        after: &[T; LENGTH],
        wanted: impl Fn(usize) -> T,
    ) {
        for (index, &got) in after.iter().enumerate() {
            let stored = (self.start..self.start + self.lanes).contains(&index);
            assert_eq!(got, if stored { wanted(index) } else { before }, "element {index}, {self:?}");
        }
    }
}

impl Task for At {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let floats: [f32; LENGTH] = std::array::from_fn(|index| index as f32);
        let mut to = [-1.0; LENGTH];
        simd.load(self.part(&floats)).store(self.part_mut(&mut to));
        self.assert_stored(-1.0, &to, |index| floats[index]);

        let integers = floats.map(|value| value as i32);
        let mut to = [-1; LENGTH];
        simd.load_i32(self.part(&integers)).store(self.part_mut(&mut to));
        self.assert_stored(-1, &to, |index| integers[index]);

        // On a boundary of 64 bytes past the caches, elsewhere as any store.
        let mut to = [-1; LENGTH];
        streaming(|permission| simd.load_i32(self.part(&integers)).stream(self.part_mut(&mut to), permission));
        self.assert_stored(-1, &to, |index| integers[index]);

        let bytes = floats.map(|value| value as u8 ^ 0xF0);
        let mut to = [-1; LENGTH];
        simd.load_u8(self.part(&bytes)).store(self.part_mut(&mut to));
        self.assert_stored(-1, &to, |index| bytes[index].into());

        let words = floats.map(|value| value as u16);
        let mut to = [9999; LENGTH];
        simd.load_u16(self.part(&words)).store_low_u16(self.part_mut(&mut to));
        self.assert_stored(9999, &to, |index| words[index]);

        let mut to = [9999; LENGTH];
        simd.load_f16(self.part(&words)).store_f16(self.part_mut(&mut to));
        self.assert_stored(9999, &to, |index| words[index]);

        let mut to = [9999; LENGTH];
        simd.load_bf16(self.part(&words)).store_bf16(self.part_mut(&mut to));
        self.assert_stored(9999, &to, |index| words[index]);

        let bytes = words.map(|value| (value % 3) as u8);
        let mut to = [99; LENGTH];
        simd.load_mask(self.part(&bytes)).store(self.part_mut(&mut to));
        self.assert_stored(99, &to, |index| u8::from(bytes[index] != 0));
    }
}
