//! Operations on i32.

use std::hint::black_box;

use super::super::Int;
use super::panel::{Panel, Panels, odd_values};
use super::{LANES, Operation, Same, Simd, check, operations};

#[test]
fn operations_on_integers_mean_what_they_mean_on_one() {
    check_integers(&Panels::new());
}

operations! { check_integers:
    add(a: i32, b: i32) -> i32, bits: simd => a + b, plainly a.wrapping_add(b);
    sub(a: i32, b: i32) -> i32, bits: simd => a - b, plainly a.wrapping_sub(b);
    mul(a: i32, b: i32) -> i32, bits: simd => a * b, plainly a.wrapping_mul(b);
    and(a: i32, b: i32) -> i32, bits: simd => a & b, plainly a & b;
    or(a: i32, b: i32) -> i32, bits: simd => a | b, plainly a | b;
    xor(a: i32, b: i32) -> i32, bits: simd => a ^ b, plainly a ^ b;
    select_i32(mask: bool, a: i32, b: i32) -> i32, bits:
        simd => simd.select_i32(mask, a, b), plainly if mask { a } else { b };

    eq(a: i32, b: i32) -> bool, bits: simd => a.eq(b), plainly a == b;
    lt(a: i32, b: i32) -> bool, bits: simd => a.lt(b), plainly a < b;

    load_and_store(a: i32) -> i32, bits: simd => a, plainly a;
    as_f32(a: i32) -> f32, bits: simd => a.as_f32(), plainly f32::from_bits(a.cast_unsigned());
    to_f32(a: i32) -> f32, bits: simd => a.to_f32(), plainly a as f32;
    store_low_u16(a: i32) -> u16, bits: simd => {
        let mut to = [0; LANES];
        a.store_low_u16(&mut to);
        to
    }, plainly a as u16;

    // The counts of shifts as they stand in formulas: constants that the compiler sees.
    shl_by_constant(a: i32) -> i32, bits: simd => a.shl(23), plainly a << 23;
    shr_by_constant(a: i32) -> i32, bits: simd => a.shr(9), plainly a >> 9;
    shr_logical_by_constant(a: i32) -> i32, bits:
        simd => a.shr_logical(16), plainly (a.cast_unsigned() >> 16).cast_signed();
    shifts_by_nothing(a: i32) -> i32, bits: simd => a.shl(0).shr(0).shr_logical(0), plainly a;
    shifts_by_most(a: i32, b: i32, c: i32) -> i32, bits:
        simd => a.shl(31) ^ b.shr(31) ^ c.shr_logical(31),
        plainly a << 31 ^ b >> 31 ^ (c.cast_unsigned() >> 31).cast_signed();
}

#[test]
fn shifts_move_by_every_count() {
    let panel = Panel::of_one(odd_values());
    for by in 0..32 {
        check(ShiftLeft { by }, &panel);
        check(ShiftRight { by }, &panel);
        check(ShiftRightLogical { by }, &panel);
    }
}

/// A shift by a count that the compiler does not see.
macro_rules! shifts {
    ($($name:ident: $method:ident, |$value:ident, $by:ident| $plain:expr;)+) => {$(
        #[derive(Debug, Clone, Copy)]
        struct $name {
            by: u32,
        }

        impl Operation for $name {
            const NAME: &str = stringify!($method);
            const OPERANDS: usize = 1;
            const SAME: Same = Same::Bits;

            #[inline(always)]
            fn on_vectors<S: Simd>(self, simd: S, [operand, ..]: &[[u32; LANES]; 3]) -> [u64; LANES] {
                let mut to = [0; LANES];
                let operand = simd.load_i32(&operand.map(u32::cast_signed));
                operand.$method(black_box(self.by)).store(&mut to);
                to.map(|value| value.cast_unsigned().into())
            }

            fn on_one(self, [$value, ..]: [u32; 3]) -> u64 {
                let $by = self.by;
                u64::from($plain)
            }
        }
    )+};
}

shifts! {
    ShiftLeft: shl, |value, by| value << by;
    ShiftRight: shr, |value, by| (value.cast_signed() >> by).cast_unsigned();
    ShiftRightLogical: shr_logical, |value, by| value >> by;
}

#[test]
fn an_integer_is_set_in_every_lane() {
    let panel = Panel::of_one(0..16);
    for bits in odd_values() {
        check(Splat(bits.cast_signed()), &panel);
    }
}

#[derive(Debug, Clone, Copy)]
struct Splat(i32);

impl Operation for Splat {
    const NAME: &str = "i32";
    const OPERANDS: usize = 0;
    const SAME: Same = Same::Bits;

    #[inline(always)]
    fn on_vectors<S: Simd>(self, simd: S, _operands: &[[u32; LANES]; 3]) -> [u64; LANES] {
        let mut to = [0; LANES];
        simd.i32(self.0).store(&mut to);
        to.map(|value| value.cast_unsigned().into())
    }

    fn on_one(self, _operands: [u32; 3]) -> u64 {
        self.0.cast_unsigned().into()
    }
}
