//! Resizes that are refused: in words, and with nothing written.

use std::fmt::Write;

use stratal_kernels::KernelError;
use stratal_kernels::resize::{Coordinates, Interpolation, Nearest, Resize, ResizeAxis, Scale};
use stratal_tensor_base::DType;

use super::{by_extents, by_factors};
use crate::array::Array;
use crate::backends::BACKENDS;
use crate::laid::dense;

fn refused(resize: &Resize, (dtype, from): (DType, &[i64]), (result, to): (DType, &[i64])) -> KernelError {
    let x = Array::canary(dtype, dense(from).count());
    let mut errors = BACKENDS.iter().map(|kernels| {
        let canary = Array::canary(result, dense(to).count());
        let mut found = canary.clone();
        let error = kernels.resize(resize, &x.view(&dense(from)), &mut found.view_mut(&dense(to))).unwrap_err();
        assert_eq!(found, canary);
        error
    });
    let error = errors.next().unwrap();
    assert!(errors.all(|other| other.to_string() == error.to_string()));
    error
}

#[test]
fn errors_of_resizing() {
    let mut text = String::new();
    let mut note = |error: KernelError| writeln!(text, "{error}").unwrap();
    let (linear, half) = (Interpolation::Linear, Coordinates::HalfPixel);
    let x: (DType, &[i64]) = (DType::F32, &[2, 3]);
    let y: (DType, &[i64]) = (DType::F32, &[2, 6]);
    note(refused(&by_extents(linear, half, &[2]), x, y));
    note(refused(&by_extents(linear, half, &[i64::MIN]), x, y));
    note(refused(&by_extents(linear, half, &[1, -1]), x, y));
    note(refused(&by_extents(linear, half, &[0]), x, y));
    note(refused(&by_extents(linear, half, &[1]), x, (DType::F32, &[2, 6, 1])));
    note(refused(&by_extents(linear, half, &[1]), x, (DType::F16, &[2, 6])));
    note(refused(&by_extents(linear, half, &[1]), (DType::Bool, &[2, 3]), (DType::Bool, &[2, 6])));
    note(refused(&by_extents(linear, half, &[1]), (DType::F32, &[2, 0]), y));
    note(refused(&by_extents(Interpolation::Nearest(Nearest::Ceil), half, &[0]), (DType::I8, &[0]), (DType::I8, &[1])));
    for factor in [0.0, -2.0, f64::NAN, f64::INFINITY, 1e30, 1e-30, 1.5] {
        note(refused(&by_factors(linear, half, &[(1, factor)]), x, y));
    }
    for coefficient in [f64::NAN, f64::NEG_INFINITY] {
        note(refused(&by_extents(Interpolation::Cubic(coefficient), half, &[1]), x, y));
    }
    for region in [[f64::NAN, 1.0], [0.0, f64::INFINITY]] {
        let axes = vec![ResizeAxis { region, ..ResizeAxis::of_extents(1) }];
        note(refused(&Resize { axes, ..Resize::new(linear, Coordinates::CropAndResize) }, x, y));
    }
    for factor in [0.0, f64::NAN, f64::INFINITY, -1.0, 1e30] {
        note(Scale::output_extent(factor, 3).unwrap_err());
    }
    note(Scale::output_extent(1.5, i32::MAX as u32).unwrap_err());
    insta::assert_snapshot!(text);
}

/// Numbers at the ends of what is accepted give results, without overflow.
#[test]
fn extreme_numbers_that_are_accepted() {
    for interpolation in super::ALL_INTERPOLATIONS {
        for region in [[-1e308, 1e308], [1e300, 1e300], [f64::MIN_POSITIVE, -0.0]] {
            let axes = vec![ResizeAxis { region, ..ResizeAxis::of_extents(0) }];
            let resize = Resize { axes, antialias: true, ..Resize::new(interpolation, Coordinates::CropAndResize) };
            super::resized(&resize, (&Array::of(&[1.0_f32, 2.0]), &[2]), &[9]);
        }
        for coordinates in super::ALL_COORDINATES {
            // A thousand to one, and one to a thousand.
            for antialias in [false, true] {
                let resize = Resize { antialias, ..by_extents(interpolation, coordinates, &[0]) };
                super::resized(&resize, (&Array::of(&[1.0_f32; 1000]), &[1000]), &[1]);
                super::resized(&resize, (&Array::of(&[1.0_f32]), &[1]), &[1000]);
                let resize = Resize { antialias, ..by_factors(interpolation, coordinates, &[(0, 0.5)]) };
                super::resized(&resize, (&Array::of(&[1.0_f32]), &[1]), &[1]);
            }
        }
    }
    // Nothing of nothing, and nothing of something.
    let resize = by_extents(Interpolation::Linear, Coordinates::HalfPixel, &[0]);
    super::resized(&resize, (&Array::of::<f32>(&[]), &[0]), &[0]);
    super::resized(&resize, (&Array::of(&[1.0_f32]), &[1]), &[0]);
    super::resized(&Resize::new(Interpolation::Linear, Coordinates::HalfPixel), (&Array::of(&[1.0_f32]), &[]), &[]);
}
