//! Operations on truths.

use super::super::Mask;
use super::panel::Panels;
use super::{LANES, Simd, Task, instruction_sets, operations};

#[test]
fn operations_on_masks_mean_what_they_mean_on_one() {
    check_masks(&Panels::new());
}

operations! { check_masks:
    load_and_store(a: bool) -> bool, bits: simd => a, plainly a;
    and(a: bool, b: bool) -> bool, bits: simd => a & b, plainly a & b;
    or(a: bool, b: bool) -> bool, bits: simd => a | b, plainly a | b;
    xor(a: bool, b: bool) -> bool, bits: simd => a ^ b, plainly a ^ b;
    not(a: bool) -> bool, bits: simd => !a, plainly !a;
}

#[test]
fn every_byte_but_zero_is_true() {
    check_bytes(&Panels::of_one(0..=0xFF));
}

operations! { check_bytes:
    load_mask(a: u8) -> bool, bits: simd => simd.load_mask(&a), plainly a != 0;
}

#[test]
fn any_and_all_see_every_lane() {
    for (isa, lanes) in instruction_sets() {
        let mask = isa.run(Wrong { lanes });
        assert_eq!(mask, None, "{isa:?}: any or all is wrong of this mask");
    }
}

/// The first mask, of all there are, of which `any` or `all` is wrong.
#[derive(Debug, Clone, Copy)]
struct Wrong {
    lanes: usize,
}

impl Task for Wrong {
    type Output = Option<u16>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Option<u16> {
        (0..=u16::MAX).find(|&mask| {
            let truths: [bool; LANES] = std::array::from_fn(|lane| mask >> lane & 1 == 1);
            let vector = simd.load_mask(&truths.map(u8::from));
            let seen = &truths[..self.lanes];
            vector.any() != seen.contains(&true) || vector.all() == seen.contains(&false)
        })
    }
}
