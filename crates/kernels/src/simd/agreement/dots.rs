//! Dot products of bytes: exact for every pair of bytes in every place, whatever is in the others.

use std::array::from_fn;

use super::super::Int;
use super::{LANES, Simd, Task, instruction_sets};

/// Four bytes of either operand, and the sum before.
type Case = ([u8; 4], [i8; 4], i32);

#[test]
fn every_pair_of_bytes_is_multiplied_exactly_in_every_place() {
    // What makes sums of pairs large: instructions that saturate would show here.
    let others = [(0, 0), (255, 127), (255, -128), (1, -1)];
    let cases: Vec<Case> = others
        .into_iter()
        .flat_map(|(a, b)| {
            let pairs = (0..=255_u8).flat_map(|a| (-128..=127_i8).map(move |b| (a, b)));
            pairs.map(move |(x, y)| {
                let place = usize::from(x) % 4;
                let (mut a, mut b) = ([a; 4], [b; 4]);
                (a[place], b[place]) = (x, y);
                (a, b, 0)
            })
        })
        .collect();
    check(&cases);
    // The same pairs in the other places.
    for turn in 1..4 {
        let turned: Vec<Case> = cases
            .iter()
            .map(|(a, b, sum)| {
                let (mut a, mut b) = (*a, *b);
                a.rotate_left(turn);
                b.rotate_left(turn);
                (a, b, *sum)
            })
            .collect();
        check(&turned);
    }
}

#[test]
fn extremes_are_exact_together() {
    let (a, b) = ([0, 1, 127, 128, 255_u8], [-128, -127, -1, 0, 1, 127_i8]);
    let pairs: Vec<(u8, i8)> = a.into_iter().flat_map(|a| b.into_iter().map(move |b| (a, b))).collect();
    let sums = [0, i32::MAX, i32::MIN, -1];
    let cases: Vec<Case> = (0..pairs.len().pow(4))
        .map(|index| {
            let pair = |place: u32| pairs[index / pairs.len().pow(place) % pairs.len()];
            let quad = [pair(0), pair(1), pair(2), pair(3)];
            (quad.map(|(a, _)| a), quad.map(|(_, b)| b), sums[index % 4])
        })
        .collect();
    check(&cases);
}

/// Sums are kept to 32 bits, and nothing saturates before.
#[test]
fn sums_wrap() {
    let sums = [i32::MAX, i32::MIN, i32::MAX - 130_050, i32::MIN + 130_560];
    let cases: Vec<Case> = (0..64)
        .map(|index| ([255; 4], if index % 2 == 0 { [127; 4] } else { [-128; 4] }, sums[index / 2 % 4]))
        .collect();
    check(&cases);
}

#[track_caller]
fn check(cases: &[Case]) {
    for (isa, lanes) in instruction_sets() {
        for (index, results) in isa.run_dots(Dots(cases)).into_iter().enumerate() {
            for (lane, (a, b, sum)) in cases[index * LANES..].iter().enumerate().take(lanes) {
                let products = a.iter().zip(b).map(|(a, b)| i64::from(*a) * i64::from(*b));
                let expected = (i64::from(*sum) + products.sum::<i64>()) as i32;
                assert_eq!(results[lane], expected, "{isa:?}: {sum} and {a:?} by {b:?} in lane {lane}");
            }
        }
    }
}

/// Sixteen cases at a time; those that are left repeat the first.
struct Dots<'a>(&'a [Case]);

impl Task for Dots<'_> {
    type Output = Vec<[i32; LANES]>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        let mut results = Vec::new();
        for cases in self.0.chunks(LANES) {
            let case = |lane: usize| cases.get(lane).unwrap_or(&cases[0]);
            let a = simd.load_i32(&from_fn(|lane| i32::from_ne_bytes(case(lane).0)));
            let b = simd.load_i32(&from_fn(|lane| i32::from_ne_bytes(case(lane).1.map(i8::cast_unsigned))));
            let mut to = [0; LANES];
            simd.add_dots(a, b, simd.load_i32(&from_fn(|lane| case(lane).2))).store(&mut to);
            results.push(to);
        }
        results
    }
}
