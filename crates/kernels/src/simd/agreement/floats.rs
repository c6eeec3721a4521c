//! Operations on f32.

use std::hint::black_box;

use super::super::Float;
use super::panel::{Panel, Panels, odd_values};
use super::{LANES, Operation, Same, Simd, check, operations};

#[test]
fn operations_on_floats_mean_what_they_mean_on_one() {
    check_floats(&Panels::new());
}

operations! { check_floats:
    add(a: f32, b: f32) -> f32, nan: simd => a + b, plainly a + b;
    sub(a: f32, b: f32) -> f32, nan: simd => a - b, plainly a - b;
    mul(a: f32, b: f32) -> f32, nan: simd => a * b, plainly a * b;
    div(a: f32, b: f32) -> f32, nan: simd => a / b, plainly a / b;
    mul_add(a: f32, b: f32, c: f32) -> f32, nan: simd => a.mul_add(b, c), plainly a.mul_add(b, c);
    sqrt(a: f32) -> f32, nan: simd => a.sqrt(), plainly a.sqrt();

    neg(a: f32) -> f32, bits: simd => -a, plainly f32::from_bits(a.to_bits() ^ 0x8000_0000);
    abs(a: f32) -> f32, bits: simd => a.abs(), plainly f32::from_bits(a.to_bits() & 0x7FFF_FFFF);
    min(a: f32, b: f32) -> f32, bits: simd => a.min(b), plainly if a < b { a } else { b };
    max(a: f32, b: f32) -> f32, bits: simd => a.max(b), plainly if a > b { a } else { b };
    select(mask: bool, a: f32, b: f32) -> f32, bits: simd => simd.select(mask, a, b), plainly if mask { a } else { b };

    // A compiler that sees a constant may take an instruction for minima or maxima, which differs for signaling NaN.
    min_of_constant(a: f32) -> f32, bits: simd => a.min(simd.f32(1.0)), plainly if a < hidden(1.0) { a } else { 1.0 };
    max_of_constant(a: f32) -> f32, bits: simd => a.max(simd.f32(-1.0)), plainly if a > hidden(-1.0) { a } else { -1.0 };
    max_of_zero(a: f32) -> f32, bits: simd => a.max(simd.f32(0.0)), plainly if a > hidden(0.0) { a } else { 0.0 };
    max_of_minus_zero(a: f32) -> f32, bits: simd => a.max(simd.f32(-0.0)), plainly if a > hidden(0.0) { a } else { -0.0 };
    constant_minus_min(a: f32) -> f32, nan:
        simd => simd.f32(3.0) - simd.f32(1.0).min(a), plainly 3.0 - if hidden(1.0) < a { 1.0 } else { a };
    select_the_lesser(a: f32) -> f32, bits:
        simd => simd.select(a.lt(simd.f32(1.0)), a, simd.f32(1.0)), plainly if a < hidden(1.0) { a } else { 1.0 };
    select_the_greater(a: f32) -> f32, bits:
        simd => simd.select(a.le(simd.f32(1.0)), simd.f32(1.0), a), plainly if a <= hidden(1.0) { 1.0 } else { a };

    round(a: f32) -> f32, nan: simd => a.round(), plainly a.round_ties_even();
    floor(a: f32) -> f32, nan: simd => a.floor(), plainly a.floor();
    ceil(a: f32) -> f32, nan: simd => a.ceil(), plainly a.ceil();
    trunc(a: f32) -> f32, nan: simd => a.trunc(), plainly a.trunc();

    lt(a: f32, b: f32) -> bool, bits: simd => a.lt(b), plainly a < b;
    le(a: f32, b: f32) -> bool, bits: simd => a.le(b), plainly a <= b;
    eq(a: f32, b: f32) -> bool, bits: simd => a.eq(b), plainly a == b;
    gt(a: f32, b: f32) -> bool, bits: simd => a.gt(b), plainly a > b;
    ge(a: f32, b: f32) -> bool, bits: simd => a.ge(b), plainly a >= b;
    is_nan(a: f32) -> bool, bits: simd => a.is_nan(), plainly a.is_nan();

    load_and_store(a: f32) -> f32, bits: simd => a, plainly a;
    bits_of_float(a: f32) -> i32, bits: simd => a.bits(), plainly a.to_bits().cast_signed();
    widen(a: f32) -> f64, nan: simd => a.widen(), plainly f64::from(a);
    to_i32_within_i32(a: f32) -> i32, bits: simd => {
        let within = a.ge(simd.f32(FROM)) & a.lt(simd.f32(TO));
        simd.select_i32(within, a.to_i32(), simd.i32(7))
    }, plainly if (FROM..TO).contains(&a) { a as i32 } else { 7 };
}

/// A constant that the compiler does not see, so that the meaning is not subject to what is tested.
fn hidden(constant: f32) -> f32 {
    black_box(constant)
}

/// The f32 from here on, but below [`TO`], are within i32.
const FROM: f32 = -2_147_483_648.0;
const TO: f32 = 2_147_483_648.0;

#[test]
fn a_float_is_set_in_every_lane() {
    let panel = Panel::of_one(0..16);
    for bits in odd_values() {
        check(Splat(f32::from_bits(bits)), &panel);
    }
}

#[derive(Debug, Clone, Copy)]
struct Splat(f32);

impl Operation for Splat {
    const NAME: &str = "f32";
    const OPERANDS: usize = 0;
    const SAME: Same = Same::Bits;

    #[inline(always)]
    fn on_vectors<S: Simd>(self, simd: S, _operands: &[[u32; LANES]; 3]) -> [u64; LANES] {
        let mut to = [0.0; LANES];
        simd.f32(self.0).store(&mut to);
        to.map(|value| value.to_bits().into())
    }

    fn on_one(self, _operands: [u32; 3]) -> u64 {
        self.0.to_bits().into()
    }
}
