//! The reference against one-dimensional interpolation written down once more, from exact fractions.

use proptest::prelude::*;
use stratal_kernels::resize::{Coordinates, Interpolation, Nearest, Resize};

use super::{by_extents, resized};
use crate::EMULATED;
use crate::array::Array;
use crate::values::Generator;

/// A coordinate as a fraction.
fn coordinate(coordinates: Coordinates, from: i64, to: i64, index: i64) -> (i64, i64) {
    match coordinates {
        Coordinates::AlignCorners | Coordinates::PytorchHalfPixel if to == 1 => (0, 1),
        Coordinates::AlignCorners => (index * (from - 1), to - 1),
        Coordinates::Asymmetric => (index * from, to),
        _ => ((2 * index + 1) * from - to, 2 * to),
    }
}

fn nearest(rule: Nearest, (numerator, denominator): (i64, i64), from: i64) -> usize {
    // Of all elements, the one that is nearest, found by trying.
    let distance = |index: i64| (index * denominator - numerator).abs();
    let best = match rule {
        Nearest::RoundPreferFloor => (0..from).min_by_key(|index| (distance(*index), *index)),
        Nearest::RoundPreferCeil => (0..from).min_by_key(|index| (distance(*index), -*index)),
        Nearest::Floor => (0..from).rfind(|index| index * denominator <= numerator).or(Some(0)),
        Nearest::Ceil => (0..from).find(|index| index * denominator >= numerator).or(Some(from - 1)),
    };
    best.unwrap() as usize
}

/// The value at a coordinate, all in f64.
fn value(resize: &Resize, (numerator, denominator): (i64, i64), scale: f64, x: &[f64]) -> f64 {
    let at = numerator as f64 / denominator as f64;
    let scale = if resize.antialias { scale.min(1.0) } else { 1.0 };
    let weight = |distance: f64| match resize.interpolation {
        Interpolation::Cubic(a) if distance <= 1.0 => (a + 2.0) * distance.powi(3) - (a + 3.0) * distance.powi(2) + 1.0,
        Interpolation::Cubic(a) if distance < 2.0 => {
            a * (distance.powi(3) - 5.0 * distance.powi(2) + 8.0 * distance - 4.0)
        }
        Interpolation::Linear if distance < 1.0 => 1.0 - distance,
        _ => 0.0,
    };
    let count = x.len() as i64;
    let (mut sum, mut all) = (0.0, 0.0);
    for index in -8 * count - 8..9 * count + 8 {
        let weight = weight(((index as f64 - at) * scale).abs());
        if resize.exclude_outside && !(0..count).contains(&index) {
            continue;
        }
        sum += weight * x[index.clamp(0, count - 1) as usize];
        all += weight;
    }
    sum / all
}

fn interpolation() -> impl Strategy<Value = Interpolation> {
    proptest::sample::select(&super::ALL_INTERPOLATIONS[..])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if EMULATED { 60 } else { 2000 }))]

    #[test]
    fn rows_are_those_of_the_model(
        interpolation in interpolation(),
        coordinates in proptest::sample::select(&super::ALL_COORDINATES[..5]),
        (from, to) in (1..24_i64, 1..40_i64),
        (antialias, exclude_outside) in any::<(bool, bool)>(),
        seed in any::<u64>(),
    ) {
        let mut generator = Generator(seed);
        let x: Vec<f64> = (0..from).map(|_| generator.below(2000) as f64 / 8.0 - 125.0).collect();
        let resize = Resize { antialias, exclude_outside, ..by_extents(interpolation, coordinates, &[0]) };
        let f64s: Vec<f64> = resized(&resize, (&Array::of(&x), &[from]), &[to]).to_vec();
        let narrow: Vec<f32> = x.iter().map(|x| *x as f32).collect();
        let f32s: Vec<f32> = resized(&resize, (&Array::of(&narrow), &[from]), &[to]).to_vec();
        for index in 0..to {
            let at = coordinate(coordinates, from, to, index);
            let (f64, f32) = (f64s[index as usize], f32s[index as usize]);
            if let Interpolation::Nearest(rule) = interpolation {
                let expected = x[nearest(rule, at, from)];
                prop_assert_eq!((f64, f64::from(f32)), (expected, expected), "{:?} of {:?}", rule, at);
            } else {
                let expected = value(&resize, at, to as f64 / from as f64, &x);
                prop_assert!((f64 - expected).abs() < 1e-9, "{} {} at {:?}", f64, expected, at);
                prop_assert!((f64::from(f32) - expected).abs() < 1e-3, "{} {} at {:?}", f32, expected, at);
            }
        }
    }
}
