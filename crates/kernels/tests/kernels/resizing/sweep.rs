//! Every way to resize, on every backend, against the reference: dtypes, axes, strides, threads.

use proptest::prelude::*;
use stratal_kernels::resize::{Interpolation, Resize, ResizeAxis, Scale};
use stratal_kernels::{AnyView, AnyViewMut, Kernels};
use stratal_tensor_base::DType;

use super::{ALL_COORDINATES, ALL_INTERPOLATIONS};
use crate::EMULATED;
use crate::laid::{check, check_with};
use crate::place::{Place, in_order};
use crate::properties::{anywhere, disjoint};
use crate::threads::on_many_threads;
use crate::values::{Generator, mixed};

fn check_at(resize: &Resize, dtype: DType, place: &Place, result: &Place, seed: u64) {
    let x = mixed(dtype, place.buffer, &mut Generator(seed));
    let call =
        |kernels: &dyn Kernels, x: &[AnyView<'_>], to: &mut [AnyViewMut<'_>]| kernels.resize(resize, &x[0], &mut to[0]);
    let is_exact = matches!(resize.interpolation, Interpolation::Nearest(_));
    check(&[(&x, place)], &[(dtype, result)], is_exact, &call, &|| format!("{resize:?} of {dtype}"));
}

#[test]
fn every_way_of_every_dtype() {
    for interpolation in ALL_INTERPOLATIONS {
        for coordinates in ALL_COORDINATES {
            for dtype in DType::ALL {
                let is_nearest = matches!(interpolation, Interpolation::Nearest(_));
                let is_left_out = EMULATED && !matches!(dtype, DType::F32 | DType::U8);
                if (dtype == DType::Bool && !is_nearest) || is_left_out {
                    continue;
                }
                let region = |axis, region| ResizeAxis { region, ..ResizeAxis::of_extents(axis) };
                let resize = Resize {
                    axes: vec![region(-1, [-0.25, 0.75]), region(1, [0.0, 1.5])],
                    antialias: dtype.size() == 4,
                    exclude_outside: dtype.size() == 2,
                    extrapolation: 3.5,
                    ..Resize::new(interpolation, coordinates)
                };
                let (from, to) = ([2, 5, 3, 19], [2, 9, 3, 7]);
                check_at(&resize, dtype, &Place::dense(&from, 1), &Place::dense(&to, 2), 1);
                let place = Place::new(&from, &in_order(&from, &[0, 2, 3, 1], 1), 0);
                check_at(&resize, dtype, &place, &Place::new(&to, &in_order(&to, &[0, 2, 3, 1], 1), 0), 2);
            }
        }
    }
}

/// A resize, and extents from and to.
fn case() -> impl Strategy<Value = (Resize, Vec<i64>, Vec<i64>)> {
    let axis = (1..9_i64, 0..14_i64, any::<[bool; 2]>(), 0.3..3.0_f64, [-1.0..2.0_f64, -1.0..2.0]);
    let axes = proptest::collection::vec(axis, 1..5);
    let kind = (proptest::sample::select(&ALL_INTERPOLATIONS[..]), proptest::sample::select(&ALL_COORDINATES[..]));
    (axes, kind, any::<[bool; 2]>(), -9.0..9.0_f32).prop_map(
        |(axes, kind, [antialias, exclude_outside], extrapolation)| {
            let mut resize = Resize { antialias, exclude_outside, extrapolation, ..Resize::new(kind.0, kind.1) };
            let (mut from, mut to) = (Vec::new(), Vec::new());
            for (axis, (extent, length, [changes, by_factor], factor, region)) in axes.into_iter().enumerate() {
                from.push(extent);
                to.push(match (changes, by_factor) {
                    (false, _) => extent,
                    (true, true) => Scale::output_extent(factor, extent as u32).unwrap().into(),
                    (true, false) => length,
                });
                if changes {
                    let scale = if by_factor { Scale::Factor(factor) } else { Scale::Extents };
                    resize.axes.push(ResizeAxis { axis: axis as i64, scale, region });
                }
            }
            (resize, from, to)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if EMULATED { 60 } else { 1500 }))]

    #[test]
    fn any_resize_anywhere(
        (resize, place, result) in case().prop_flat_map(|(resize, from, to)| (Just(resize), anywhere(from), disjoint(to))),
        dtype in proptest::sample::select(&DType::ALL[..]),
        seed in any::<u64>(),
    ) {
        if dtype != DType::Bool || matches!(resize.interpolation, Interpolation::Nearest(_)) {
            check_at(&resize, dtype, &place, &result, seed);
        }
    }
}

#[test]
fn the_same_on_any_number_of_threads() {
    let (from, to) = if EMULATED { ([1, 2, 20, 30], [1, 2, 45, 17]) } else { ([2, 5, 90, 110], [2, 5, 190, 83]) };
    let kernels = on_many_threads();
    for interpolation in [ALL_INTERPOLATIONS[0], ALL_INTERPOLATIONS[4], ALL_INTERPOLATIONS[5]] {
        let resize = super::by_extents(interpolation, ALL_COORDINATES[0], &[2, 3]);
        for dtype in [DType::F32, DType::U8] {
            let (place, result) = (Place::dense(&from, 1), Place::dense(&to, 1));
            let x = mixed(dtype, place.buffer, &mut Generator(5));
            let call = |kernels: &dyn Kernels, x: &[AnyView<'_>], to: &mut [AnyViewMut<'_>]| {
                kernels.resize(&resize, &x[0], &mut to[0])
            };
            check_with(&kernels, &[(&x, &place)], &[(dtype, &result)], false, &call, &|| {
                format!("{resize:?} of {dtype}")
            });
        }
    }
}
