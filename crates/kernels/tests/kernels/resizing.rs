//! Resizing: values by hand, every backend against the reference, the reference against exact coordinates, errors.

mod by_hand;
mod errors;
mod model;
mod sweep;

use stratal_kernels::resize::{Coordinates, Interpolation, Nearest, Resize, ResizeAxis};
use stratal_kernels::{AnyView, AnyViewMut, Kernels};

use crate::array::Array;
use crate::backends::BACKENDS;
use crate::laid::results;

const ALL_COORDINATES: [Coordinates; 6] = [
    Coordinates::HalfPixel,
    Coordinates::HalfPixelSymmetric,
    Coordinates::PytorchHalfPixel,
    Coordinates::AlignCorners,
    Coordinates::Asymmetric,
    Coordinates::CropAndResize,
];

const ALL_INTERPOLATIONS: [Interpolation; 7] = [
    Interpolation::Nearest(Nearest::RoundPreferFloor),
    Interpolation::Nearest(Nearest::RoundPreferCeil),
    Interpolation::Nearest(Nearest::Floor),
    Interpolation::Nearest(Nearest::Ceil),
    Interpolation::Linear,
    Interpolation::Cubic(-0.75),
    Interpolation::Cubic(-0.5),
];

/// The result of every backend, which must be equal.
fn resized(resize: &Resize, (x, from): (&Array, &[i64]), to: &[i64]) -> Array {
    let call =
        |kernels: &dyn Kernels, x: &[AnyView<'_>], to: &mut [AnyViewMut<'_>]| kernels.resize(resize, &x[0], &mut to[0]);
    let operand = [(x.clone(), from.to_vec())];
    let mut all = BACKENDS.iter().map(|kernels| results(&**kernels, &operand, &[(x.dtype, to.to_vec())], &call));
    let mut found = all.next().unwrap();
    assert!(all.all(|other| other == found), "{resize:?}");
    found.remove(0)
}

/// A resize of axes by extents.
fn by_extents(interpolation: Interpolation, coordinates: Coordinates, axes: &[i64]) -> Resize {
    let axes = axes.iter().map(|axis| ResizeAxis::of_extents(*axis)).collect();
    Resize { axes, ..Resize::new(interpolation, coordinates) }
}

/// A resize of axes by factors.
fn by_factors(interpolation: Interpolation, coordinates: Coordinates, axes: &[(i64, f64)]) -> Resize {
    let axes = axes.iter().map(|(axis, factor)| ResizeAxis::of_factor(*axis, *factor)).collect();
    Resize { axes, ..Resize::new(interpolation, coordinates) }
}
