//! Operations on f64.

use super::super::{Double, Float};
use super::lane::Lane;
use super::panel::{Panel, Panels};
use super::{LANES, Operation, Same, Simd, check, operations};

#[test]
fn operations_on_doubles_mean_what_they_mean_on_one() {
    check_doubles(&Panels::new());
}

operations! { check_doubles:
    add(a: f64, b: f64) -> f64, nan: simd => a + b, plainly a + b;
    sub(a: f64, b: f64) -> f64, nan: simd => a - b, plainly a - b;
    mul(a: f64, b: f64) -> f64, nan: simd => a * b, plainly a * b;
    div(a: f64, b: f64) -> f64, nan: simd => a / b, plainly a / b;
    mul_add(a: f64, b: f64, c: f64) -> f64, nan: simd => a.mul_add(b, c), plainly a.mul_add(b, c);
    // The part of a product that rounding loses, which only one rounding shows.
    residue(a: f64, b: f64) -> f64, nan:
        simd => a.mul_add(b, simd.f64(0.0) - a * b), plainly a.mul_add(b, 0.0 - a * b);
    round(a: f64) -> f64, nan: simd => a.round(), plainly a.round_ties_even();
    round_of_float(a: f32) -> f64, nan: simd => a.widen().round(), plainly f64::from(a).round_ties_even();
    narrow(a: f64) -> f32, nan: simd => a.narrow(), plainly a as f32;
}

#[test]
fn a_double_is_set_rounded_and_narrowed_in_every_lane() {
    let panel = Panel::of_one((0..16).map(|lane| (1.0 + lane as f32).to_bits()));
    for value in ODD.into_iter().flat_map(|value| [value, -value]) {
        check(Splat(value), &panel);
        check(Round(value), &panel);
        check(Narrow(value), &panel);
    }
}

/// Positive doubles; each is used with both signs.
const ODD: [f64; 26] = [
    0.0,
    5.0e-324, // the smallest subnormal
    f64::MIN_POSITIVE,
    f64::from_bits(0x3690_0000_0000_0000), // 2^-150, half of the smallest f32
    f64::from_bits(0x3690_0000_0000_0001),
    f64::from_bits(0x36A8_0000_0000_0000), // 1.5 units of the smallest f32, a tie
    f64::from_bits(0x380F_FFFF_E000_0000), // between the largest subnormal f32 and the smallest normal one, a tie
    0.1,
    0.499_999_999_999_999_94, // below half
    0.5,
    0.500_000_000_000_000_1, // above half
    1.0,
    1.5,
    2.5,
    f64::from_bits(0x3FF0_0000_1000_0000), // 1 + 2^-24, a tie
    f64::from_bits(0x3FF0_0000_1000_0001),
    f64::from_bits(0x3FF0_0000_3000_0000), // 1 + 3 * 2^-24, a tie
    4_503_599_627_370_495.5,               // 2^52 - 1/2, the last tie of rounding
    4_503_599_627_370_496.0,
    9_007_199_254_740_993.0,               // 2^53 and what is added is lost
    f64::from_bits(0x47EF_FFFF_EFFF_FFFF), // the last that rounds to the largest f32
    f64::from_bits(0x47EF_FFFF_F000_0000), // the first that rounds to infinity
    1.0e300,
    f64::MAX,
    f64::INFINITY,
    f64::NAN,
];

/// Operations on one double, the same in all lanes.
macro_rules! on_splats {
    ($($name:ident: $value:ident => $vectors:expr, plainly $plain:expr;)+) => {$(
        #[derive(Debug, Clone, Copy)]
        struct $name(f64);

        impl Operation for $name {
            const NAME: &str = stringify!($name);
            const OPERANDS: usize = 1;
            const SAME: Same = Same::BitsOrNan(<f64 as Lane>::is_nan);

            #[inline(always)]
            fn on_vectors<S: Simd>(self, simd: S, [operand, ..]: &[[u32; LANES]; 3]) -> [u64; LANES] {
                let operand = <f32 as Lane>::load(simd, operand);
                let $value = simd.f64(self.0);
                <f64 as Lane>::store(simd, $vectors * operand.widen())
            }

            fn on_one(self, [operand, ..]: [u32; 3]) -> u64 {
                let $value = self.0;
                Lane::to_bits($plain * f64::from(f32::from_bits(operand)))
            }
        }
    )+};
}

on_splats! {
    Splat: value => value, plainly value;
    Round: value => value.round(), plainly value.round_ties_even();
    Narrow: value => value.narrow().widen(), plainly f64::from(value as f32);
}
