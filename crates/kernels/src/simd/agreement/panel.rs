//! The operands that operations are checked with.

use std::array::from_fn;

use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};

use super::super::LANES;

/// Rows of three operands, as bits.
#[derive(Debug, Clone)]
pub(super) struct Panel(Vec<[u32; 3]>);

impl Panel {
    /// A panel of these rows. The last ones come last in a vector only: the panel begins anew after them, so that every
    /// row passes through every lane.
    pub(super) fn new(rows: impl IntoIterator<Item = [u32; 3]>) -> Self {
        let mut rows: Vec<_> = rows.into_iter().collect();
        rows.extend_from_within(..LANES - 1);
        Self(rows)
    }

    /// Rows whose first operand is one of these.
    pub(super) fn of_one(values: impl IntoIterator<Item = u32>) -> Self {
        Self::new(values.into_iter().map(|value| [value, 0, 0]))
    }

    /// Each sixteen neighbours, parted by operands.
    pub(super) fn windows(&self) -> impl Iterator<Item = [[u32; LANES]; 3]> {
        self.0.windows(LANES).map(|rows| from_fn(|operand| from_fn(|lane| rows[lane][operand])))
    }

    pub(super) fn elements(&self) -> impl Iterator<Item = [u32; 3]> {
        self.0.iter().copied()
    }

    pub(super) fn element(&self, index: usize) -> [u32; 3] {
        self.0[index]
    }
}

/// A panel for each number of operands.
#[derive(Debug)]
pub(super) struct Panels {
    one: Panel,
    two: Panel,
    three: Panel,
}

impl Panels {
    pub(super) fn new() -> Self {
        let odd = odd_values();
        let pairs = odd.iter().flat_map(|&a| odd.iter().map(move |&b| [a, b, 0]));
        let triples = FEW.iter().flat_map(|&a| FEW.iter().flat_map(move |&b| FEW.iter().map(move |&c| [a, b, c])));
        Self {
            one: Panel::new(alone(&odd).chain(random_bits(4000)).chain(random_near_one(4000))),
            two: Panel::new(alone(&odd).chain(pairs).chain(random_bits(4000)).chain(random_near_one(4000))),
            three: Panel::new(alone(&odd).chain(triples).chain(random_bits(4000)).chain(random_near_one(4000))),
        }
    }

    /// Panels for operations on one operand alone.
    pub(super) fn of_one(values: impl IntoIterator<Item = u32>) -> Self {
        let panel = Panel::of_one(values);
        Self { two: panel.clone(), three: panel.clone(), one: panel }
    }

    pub(super) fn of(&self, operands: usize) -> &Panel {
        match operands {
            1 => &self.one,
            2 => &self.two,
            _ => &self.three,
        }
    }
}

/// Values at which floats or integers behave in a way of their own.
pub(super) fn odd_values() -> Vec<u32> {
    let floats = FLOATS.iter().flat_map(|value| [value.to_bits(), (-value).to_bits()]);
    let powers = (0..32).map(|exponent| 1 << exponent);
    let mut values: Vec<u32> = floats.chain(NAN).chain(INTEGERS).chain(powers).collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// Positive floats; each is used with both signs.
const FLOATS: [f32; 38] = [
    0.0,
    f32::from_bits(1),           // the smallest subnormal
    f32::from_bits(2),           //
    f32::from_bits(0x0040_0000), // a subnormal of one bit
    f32::from_bits(0x007F_FFFF), // the largest subnormal
    f32::MIN_POSITIVE,
    f32::from_bits(0x3300_0000), // 2^-25, half of the smallest binary16
    f32::from_bits(0x3300_0001),
    f32::from_bits(0x3380_0000), // 2^-24, the smallest binary16
    f32::from_bits(0x3880_0000), // 2^-14, the smallest normal binary16
    0.3,
    0.499_999_97, // below half
    0.5,
    0.500_000_06, // above half
    0.999_999_94, // below one
    1.0,
    1.000_000_1, // above one
    1.5,
    2.5,
    3.5,
    std::f32::consts::PI,
    4_194_303.5, // 2^22 - 1/2
    4_194_304.5, // 2^22 + 1/2
    8_388_607.5, // 2^23 - 1/2, the last tie
    8_388_608.0,
    8_388_609.0,
    16_777_216.0, // 2^24
    65_504.0,     // the largest binary16
    65_519.996,   // the last that rounds to it
    65_520.0,
    2_147_483_520.0, // the last below 2^31
    2_147_483_648.0,
    9.223_372e18, // 2^63
    1.0e30,
    f32::from_bits(0x7F7F_7FFF), // the last that rounds to the largest bfloat16
    f32::from_bits(0x7F7F_8000),
    f32::MAX,
    f32::INFINITY,
];

/// NaN: quiet and signaling, of both signs, with payloads in upper, lower and all bits.
const NAN: [u32; 10] = [
    0x7FC0_0000,
    0xFFC0_0000,
    0x7F80_0001,
    0xFF80_0001,
    0x7FBF_FFFF,
    0x7FFF_FFFF,
    0xFFFF_E000,
    0x7FC1_2345,
    0xFFA1_2345,
    0x7F80_2000,
];

/// Integers: extremes of 8, 16 and 32 bits, mixed bits, and what rounds in an f32.
const INTEGERS: [u32; 18] = [
    3,
    0x7F,
    0xFF,
    0x7FFF,
    0xFFFF,
    0x0001_FFFF,
    0x7FFF_0000,
    0x7FFF_FFFE,
    0x7FFF_FFFF,
    0x8000_0001,
    0xFFFF_0000,
    0xFFFF_7FFF,
    0xFFFF_8000,
    0xFFFF_FFFE,
    0xFFFF_FFFF,
    0x5555_5555,
    0x0100_0001, // 2^24 + 1, a tie
    0x0100_0003, // 2^24 + 3, a tie
];

/// A few odd values, of which all triples are taken.
static FEW: [u32; 20] = [
    0,
    0x8000_0000,
    1,
    0x8000_0001,
    0x007F_FFFF,
    0x0080_0000,
    0x3F80_0000,
    0xBF80_0000,
    0x3F80_0001,
    0xBF80_0001,
    0x3F7F_FFFF,
    0x3380_0000,
    0xB300_0000,
    0x7F7F_FFFF,
    0xFF7F_FFFF,
    0x7F80_0000,
    0xFF80_0000,
    0x7FC0_0000,
    0xFF81_2345,
    0x4049_0FDB,
];

/// Each odd value among ordinary neighbours, so that it is the only odd one of its vector in whichever lane it is.
fn alone(odd: &[u32]) -> impl Iterator<Item = [u32; 3]> {
    odd.iter().flat_map(|&value| {
        (0..LANES).map(move |lane| {
            let calm = |base: f32| (base + lane as f32).to_bits();
            if lane == 0 { [value, value.rotate_left(1), value] } else { [calm(1.25), calm(2.5), calm(-3.0)] }
        })
    })
}

fn random_bits(rows: usize) -> impl Iterator<Item = [u32; 3]> {
    let mut random = random();
    (0..rows).map(move |_| from_fn(|_| random.next_u32()))
}

/// Floats of both signs from 2^-4 to 2^4, among which sums cancel and products round.
fn random_near_one(rows: usize) -> impl Iterator<Item = [u32; 3]> {
    let mut random = random();
    let mut near_one = move || {
        let bits = random.next_u32();
        let exponent = 123 + (bits >> 23) % 8;
        bits & 0x807F_FFFF | exponent << 23
    };
    (0..rows).map(move |_| from_fn(|_| near_one()))
}

/// The same numbers in every run.
pub(super) fn random() -> TestRng {
    TestRng::deterministic_rng(RngAlgorithm::ChaCha)
}
