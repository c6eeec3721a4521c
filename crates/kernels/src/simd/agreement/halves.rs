//! Conversions of the 16-bit floats: every pattern to f32, and from f32 every rounding case and a share of all patterns.

use stratal_tensor_base::half::{bf16_to_f32_bits, f16_to_f32_bits, f32_to_bf16_bits, f32_to_f16_bits};

use super::super::Float;
use super::operations;
use super::panel::Panels;

#[test]
fn every_half_is_widened_by_the_rule() {
    check_widening(&Panels::of_one(0..=0xFFFF));
}

operations! { check_widening:
    load_u16(a: u16) -> i32, bits: simd => simd.load_u16(&a), plainly a.into();
    load_f16(a: u16) -> f32, bits: simd => simd.load_f16(&a), plainly f32::from_bits(f16_to_f32_bits(a));
    load_bf16(a: u16) -> f32, bits: simd => simd.load_bf16(&a), plainly f32::from_bits(bf16_to_f32_bits(a));

    // Nothing happens to the values in between, which a compiler may take as leave to do nothing at all.
    f16_there_and_back(a: u16) -> u16, bits: simd => {
        let mut to = [0; LANES];
        simd.load_f16(&a).store_f16(&mut to);
        to
    }, plainly f32_to_f16_bits(f16_to_f32_bits(a));
    neg_f16(a: u16) -> u16, bits: simd => {
        let mut to = [0; LANES];
        (-simd.load_f16(&a)).store_f16(&mut to);
        to
    }, plainly f32_to_f16_bits(f16_to_f32_bits(a)) ^ 0x8000;
    abs_f16(a: u16) -> u16, bits: simd => {
        let mut to = [0; LANES];
        simd.load_f16(&a).abs().store_f16(&mut to);
        to
    }, plainly f32_to_f16_bits(f16_to_f32_bits(a)) & 0x7FFF;
    bf16_there_and_back(a: u16) -> u16, bits: simd => {
        let mut to = [0; LANES];
        simd.load_bf16(&a).store_bf16(&mut to);
        to
    }, plainly f32_to_bf16_bits(bf16_to_f32_bits(a));
    neg_bf16(a: u16) -> u16, bits: simd => {
        let mut to = [0; LANES];
        (-simd.load_bf16(&a)).store_bf16(&mut to);
        to
    }, plainly f32_to_bf16_bits(bf16_to_f32_bits(a)) ^ 0x8000;
}

#[test]
fn floats_are_narrowed_by_the_rule() {
    check_narrowing(&Panels::new());
    check_narrowing(&Panels::of_one(rounding_cases()));
    check_narrowing(&Panels::of_one((0..=u32::MAX).step_by(4099)));
}

operations! { check_narrowing:
    store_f16(a: f32) -> u16, bits: simd => {
        let mut to = [0; LANES];
        a.store_f16(&mut to);
        to
    }, plainly f32_to_f16_bits(a.to_bits());
    store_bf16(a: f32) -> u16, bits: simd => {
        let mut to = [0; LANES];
        a.store_bf16(&mut to);
        to
    }, plainly f32_to_bf16_bits(a.to_bits());
}

/// Every third pattern of the upper half of an f32, over lower halves just around a tie of either format.
fn rounding_cases() -> impl Iterator<Item = u32> {
    const LOWER: [u32; 7] = [0, 1, 0x0FFF, 0x1000, 0x3000, 0x8000, 0x8001];
    (0..=0xFFFF).step_by(3).flat_map(|upper| LOWER.map(|lower| upper << 16 | lower))
}
