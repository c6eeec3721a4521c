//! Results worked out by hand from the definitions, all of them exact in f32.

use stratal_kernels::resize::{Coordinates, Interpolation, Nearest, Resize, ResizeAxis, Scale};
use stratal_tensor_base::{DType, f16};

use super::{ALL_COORDINATES, ALL_INTERPOLATIONS, by_extents, by_factors, resized};
use crate::array::Array;
use crate::values::{Generator, mixed};

fn row(resize: &Resize, x: &[f32], to: i64) -> Vec<f32> {
    resized(resize, (&Array::of(x), &[x.len() as i64]), &[to]).to_vec()
}

#[test]
fn lines_between_neighbours() {
    let linear = |coordinates| by_extents(Interpolation::Linear, coordinates, &[0]);
    let x = [0.0, 4.0, 8.0];
    // From 3 to 6: at -1/4, 1/4, 3/4, ..., 9/4, of which the first and last are held at the ends.
    assert_eq!(row(&linear(Coordinates::HalfPixel), &x, 6), [0.0, 1.0, 3.0, 5.0, 7.0, 8.0]);
    // At 0, 1/2, 1, 3/2, 2.
    assert_eq!(row(&linear(Coordinates::AlignCorners), &x, 5), [0.0, 2.0, 4.0, 6.0, 8.0]);
    // At 0, 1/2, 1, 3/2, 2, 5/2.
    assert_eq!(row(&linear(Coordinates::Asymmetric), &x, 6), [0.0, 2.0, 4.0, 6.0, 8.0, 8.0]);
    // One element: in the middle with half pixels, and at the start otherwise.
    for (coordinates, only) in [
        (Coordinates::HalfPixel, 4.0),
        (Coordinates::HalfPixelSymmetric, 4.0),
        (Coordinates::PytorchHalfPixel, 0.0),
        (Coordinates::AlignCorners, 0.0),
        (Coordinates::Asymmetric, 0.0),
        (Coordinates::CropAndResize, 4.0),
    ] {
        assert_eq!(row(&linear(coordinates), &x, 1), [only], "{coordinates:?}");
    }
}

/// From 4 to 8 at 1/4 and 3/4 between neighbours. With a = -3/4 the weights at 1/4 are
/// (-27, 225, 67, -9) / 256; at the ends, those of elements outside go to the end.
#[test]
fn cubic_weights() {
    let cubic = by_extents(Interpolation::Cubic(-0.75), Coordinates::HalfPixel, &[0]);
    let x = [0.0, 256.0, 512.0, 1024.0];
    let at = |weights: [f32; 4], elements: [f32; 4]| -> f32 {
        weights.into_iter().zip(elements).map(|(weight, x)| weight / 256.0 * x).sum()
    };
    let (low, high) = ([-27.0, 225.0, 67.0, -9.0], [-9.0, 67.0, 225.0, -27.0]);
    let [a, b, c, d] = x;
    let expected = [
        at(high, [a, a, a, b]),
        at(low, [a, a, b, c]),
        at(high, [a, a, b, c]),
        at(low, [a, b, c, d]),
        at(high, [a, b, c, d]),
        at(low, [b, c, d, d]),
        at(high, [b, c, d, d]),
        at(low, [c, d, d, d]),
    ];
    assert_eq!(row(&cubic, &x, 8), expected);
    // Without the elements outside, the others have all the weight: at the first place 225 and -27 of 198.
    let excluded = row(&Resize { exclude_outside: true, ..cubic }, &x, 8);
    assert_eq!(excluded[0], 256.0 * (-27.0_f64 / 198.0) as f32);
    assert_eq!(excluded[3..5], expected[3..5]);
}

/// From 4 to 2, elements look twice as far: (1, 3, 3, 1) / 8 about the middle, what is outside going to the ends.
#[test]
fn antialiasing() {
    let linear = by_extents(Interpolation::Linear, Coordinates::HalfPixel, &[0]);
    let smooth = Resize { antialias: true, ..linear.clone() };
    let x = [8.0, 16.0, 32.0, 64.0];
    assert_eq!(row(&linear, &x, 2), [12.0, 48.0]);
    assert_eq!(row(&smooth, &x, 2), [(4.0 * 8.0 + 3.0 * 16.0 + 32.0) / 8.0, (16.0 + 3.0 * 32.0 + 4.0 * 64.0) / 8.0]);
    let inside = row(&Resize { exclude_outside: true, ..smooth.clone() }, &x, 2);
    assert_eq!(
        inside[0],
        [(8.0, 3.0), (16.0, 3.0), (32.0, 1.0)].map(|(x, weight)| x * (weight / 7.0_f64) as f32).iter().sum::<f32>()
    );
    // What grows is not smoothed.
    assert_eq!(row(&smooth, &x, 8), row(&linear, &x, 8));
}

#[test]
fn nearest_elements_and_their_ties() {
    let nearest = |rule, coordinates| by_extents(Interpolation::Nearest(rule), coordinates, &[0]);
    let x = [0.0, 1.0, 2.0, 3.0];
    // From 4 to 2 by half pixels: at 1/2 and 5/2.
    for (rule, expected) in [
        (Nearest::RoundPreferFloor, [0.0, 2.0]),
        (Nearest::RoundPreferCeil, [1.0, 3.0]),
        (Nearest::Floor, [0.0, 2.0]),
        (Nearest::Ceil, [1.0, 3.0]),
    ] {
        assert_eq!(row(&nearest(rule, Coordinates::HalfPixel), &x, 2), expected, "{rule:?}");
    }
    // From 4 to 6 by lengths alone: at 0, 2/3, 4/3, 2, 8/3, 10/3.
    for (rule, expected) in [
        (Nearest::RoundPreferFloor, [0.0, 1.0, 1.0, 2.0, 3.0, 3.0]),
        (Nearest::RoundPreferCeil, [0.0, 1.0, 1.0, 2.0, 3.0, 3.0]),
        (Nearest::Floor, [0.0, 0.0, 1.0, 2.0, 2.0, 3.0]),
        (Nearest::Ceil, [0.0, 1.0, 2.0, 2.0, 3.0, 3.0]),
    ] {
        assert_eq!(row(&nearest(rule, Coordinates::Asymmetric), &x, 6), expected, "{rule:?}");
    }
}

#[test]
fn regions_and_what_is_outside_them() {
    let crop = |interpolation, region, to| {
        let axis = ResizeAxis { region, ..ResizeAxis::of_extents(0) };
        let resize =
            Resize { axes: vec![axis], extrapolation: -7.5, ..Resize::new(interpolation, Coordinates::CropAndResize) };
        row(&resize, &[0.0, 10.0, 20.0, 30.0, 40.0], to)
    };
    // Lengths of 4: from 1 to 3 in three steps.
    assert_eq!(crop(Interpolation::Linear, [0.25, 0.75], 5), [10.0, 15.0, 20.0, 25.0, 30.0]);
    // Backwards; and over both ends, where nothing is interpolated.
    assert_eq!(crop(Interpolation::Linear, [1.0, 0.0], 3), [40.0, 20.0, 0.0]);
    let outside = [-7.5, 0.0, 20.0, 40.0, -7.5];
    assert_eq!(crop(Interpolation::Linear, [-0.5, 1.5], 5), outside);
    assert_eq!(crop(Interpolation::Nearest(Nearest::Floor), [-0.5, 1.5], 5), outside);
    assert_eq!(crop(Interpolation::Cubic(-0.75), [-0.5, 1.5], 5), outside);
}

/// What is outside along one axis is outside whatever the others say; for integers it is rounded.
#[test]
fn outside_along_any_axis() {
    let axis = |axis, region| ResizeAxis { region, ..ResizeAxis::of_extents(axis) };
    for (interpolation, dtype) in [
        (Interpolation::Nearest(Nearest::Ceil), DType::U8),
        (Interpolation::Linear, DType::U8),
        (Interpolation::Linear, DType::I64),
    ] {
        let resize = Resize {
            axes: vec![axis(1, [0.0, 2.0]), axis(0, [-1.0, 1.0])],
            extrapolation: 2.5,
            ..Resize::new(interpolation, Coordinates::CropAndResize)
        };
        let found = resized(&resize, (&Array::new(dtype, [10, 20, 30, 40]), &[2, 2]), &[3, 3]);
        assert!(found.patterns().eq([2, 2, 2, 10, 20, 2, 30, 40, 2]), "{dtype} {found:?}");
    }
}

/// Where each coordinate is an element, each result is that element, bits unchanged, for numbers of any size.
#[test]
fn what_falls_onto_an_element_is_that_element() {
    let mut generator = Generator(3);
    for interpolation in ALL_INTERPOLATIONS {
        for coordinates in ALL_COORDINATES {
            for dtype in DType::ALL {
                let is_moved = matches!(interpolation, Interpolation::Nearest(_));
                if dtype == DType::Bool && !is_moved {
                    continue;
                }
                let x = mixed(dtype, 3 * 17, &mut generator);
                let found = resized(&by_extents(interpolation, coordinates, &[0, 1]), (&x, &[3, 17]), &[3, 17]);
                for (is, should) in found.patterns().zip(x.patterns()) {
                    // Computing makes any NaN of a NaN, and an f64 of large integers.
                    let is_any =
                        !is_moved && (crate::values::is_nan(dtype, should) || matches!(dtype, DType::I64 | DType::U64));
                    assert!(is == should || is_any, "{interpolation:?} {coordinates:?} {dtype}");
                }
            }
        }
    }
}

/// An f32 factor a little above or below a ratio is what it is, and a ratio is exact.
#[test]
fn factors_and_ratios() {
    assert_eq!(Scale::output_extent(2.0, 5), Ok(10));
    assert_eq!(Scale::output_extent(f64::from(0.6_f32), 10), Ok(6));
    assert_eq!(Scale::output_extent(f64::from(0.7_f32), 10), Ok(6));
    assert_eq!(Scale::output_extent(0.7, 10), Ok(7));
    assert_eq!(Scale::output_extent(1e-30, 10), Ok(0));
    // From 10 to 7: the last element is at 10 * 6 / 7 by the ratio, and at 6 / 0.7 by the factor, nearly the same.
    let x: Vec<f32> = (0..10).map(|x| x as f32).collect();
    let ratio = row(&by_extents(Interpolation::Linear, Coordinates::Asymmetric, &[0]), &x, 7);
    let factor = row(&by_factors(Interpolation::Linear, Coordinates::Asymmetric, &[(0, 0.7)]), &x, 7);
    for (number, (ratio, factor)) in ratio.into_iter().zip(factor).enumerate() {
        let exact = (number * 10) as f32 / 7.0;
        assert!((ratio - exact).abs() < 1e-6 && (factor - exact).abs() < 1e-6, "{ratio} {factor} {exact}");
    }
    // 5 elements by 1.5 are 7, and half pixels about the middle keep it: at -7/30 + i * 2/3 + ... .
    let symmetric = row(&by_factors(Interpolation::Linear, Coordinates::HalfPixelSymmetric, &[(0, 1.5)]), &x[..5], 7);
    for (found, mirrored) in symmetric.iter().zip(symmetric.iter().rev()) {
        assert!((found + mirrored - 4.0).abs() < 1e-6, "{symmetric:?}");
    }
    assert_eq!(symmetric[3], 2.0);
}

/// Halves round to even, and what is beyond the type saturates, as a cubic overshoots.
#[test]
fn integers_are_rounded() {
    let linear = by_extents(Interpolation::Linear, Coordinates::AlignCorners, &[0]);
    let of = |x: Array, to| resized(&linear, (&x, &[x.count() as i64]), &[to]);
    assert_eq!(of(Array::of(&[0_u8, 1, 2, 3]), 7).to_vec::<u8>(), [0, 0, 1, 2, 2, 2, 3]);
    assert_eq!(of(Array::of(&[0_i8, -1, -2, -3]), 7).to_vec::<i8>(), [0, 0, -1, -2, -2, -2, -3]);
    assert_eq!(of(Array::of(&[i32::MAX, i32::MAX - 1]), 3).to_vec::<i32>()[0], i32::MAX);
    let cubic = by_extents(Interpolation::Cubic(-0.75), Coordinates::HalfPixel, &[0]);
    let step = resized(&cubic, (&Array::of(&[0_u8, 0, 255, 255]), &[4]), &[8]).to_vec::<u8>();
    assert_eq!((step[2], step[5]), (0, 255), "{step:?}");
    // 16-bit floats are narrowed once, at the end.
    let halves = Array::of(&[f16::from_f32(1.0), f16::from_f32(1.0 + 1.0 / 1024.0)]);
    let found = of(halves, 5).to_vec::<f16>();
    assert_eq!(found.map_to_f32(), [1.0, 1.0, 1.0, 1.000_976_6, 1.000_976_6]);
}

trait MapToF32 {
    fn map_to_f32(&self) -> Vec<f32>;
}

impl MapToF32 for Vec<f16> {
    fn map_to_f32(&self) -> Vec<f32> {
        self.iter().map(|x| x.to_f32()).collect()
    }
}
