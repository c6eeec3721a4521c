//! Deinterleaving: every lane of both operands ends where it belongs, with its bits.

use super::super::Float;
use super::{LANES, Simd, Task, instruction_sets};

/// Two vectors, from bits.
#[derive(Debug, Clone, Copy)]
struct Deinterleave([u32; 2 * LANES]);

impl Task for Deinterleave {
    type Output = [[u32; LANES]; 2];

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        let floats = self.0.map(f32::from_bits);
        let (pair, _) = floats.as_chunks::<LANES>();
        simd.deinterleave(simd.load(&pair[0]), simd.load(&pair[1])).map(|vector| {
            let mut lanes = [0.0; LANES];
            vector.store(&mut lanes);
            lanes.map(f32::to_bits)
        })
    }
}

#[test]
fn lanes_of_even_and_odd_position_part() {
    // Numbers, and signaling NaN whose payloads tell them apart.
    for first in [0_u32, 0x7F80_0001] {
        let bits: [u32; 2 * LANES] = std::array::from_fn(|position| first + position as u32);
        for (isa, lanes) in instruction_sets().filter(|(_, lanes)| *lanes == LANES) {
            let [even, odd] = isa.run(Deinterleave(bits));
            for lane in 0..lanes {
                assert_eq!((even[lane], odd[lane]), (bits[2 * lane], bits[2 * lane + 1]), "lane {lane} on {isa:?}");
            }
        }
    }
}
