//! Every kind, dtype and backend against the reference: windows, strides, layouts, threads.

use proptest::prelude::*;
use stratal_kernels::pool::{Window, WindowAxis};
use stratal_kernels::{AnyView, AnyViewMut, Kernels};
use stratal_tensor_base::{DType, Shape};

use super::model::{case, touches};
use super::{Kind, extents, window};
use crate::EMULATED;
use crate::laid::{check, check_with};
use crate::place::{Place, in_order};
use crate::properties::{anywhere, disjoint};
use crate::threads::on_many_threads;
use crate::values::{Generator, mixed};

const KINDS: [Kind; 8] = [
    Kind::Max,
    Kind::MaxWithIndices(DType::I32),
    Kind::MaxWithIndices(DType::I64),
    Kind::Average(false),
    Kind::Average(true),
    Kind::Power(1),
    Kind::Power(2),
    Kind::Power(3),
];

fn check_at(kind: Kind, window: &Window, dtype: DType, place: &Place, result: &Place, seed: u64) {
    let x = mixed(dtype, place.buffer, &mut Generator(seed));
    let places: Vec<(DType, &Place)> = kind.results(dtype).into_iter().map(|dtype| (dtype, result)).collect();
    let call =
        |kernels: &dyn Kernels, x: &[AnyView<'_>], to: &mut [AnyViewMut<'_>]| kind.call(kernels, window, &x[0], to);
    check(&[(&x, place)], &places, kind.moves_bits(), &call, &|| format!("{kind:?} {window:?} of {dtype}"));
}

fn output_extents(window: &Window, images: &[i64]) -> Vec<i64> {
    extents(&window.output_shape(&Shape::new(images).unwrap()).unwrap())
}

/// Places where images and results lie: planes, channels last, with gaps, backwards.
fn places(extents: &[i64]) -> Vec<Place> {
    let rank = extents.len();
    let channels_last: Vec<usize> = [0].into_iter().chain(2..rank).chain([1]).collect();
    let reversed =
        in_order(extents, &(0..rank).collect::<Vec<_>>(), 1).iter().map(|stride| -stride).collect::<Vec<_>>();
    vec![
        Place::dense(extents, 1),
        Place::new(extents, &in_order(extents, &channels_last, 1), 2),
        Place::new(extents, &in_order(extents, &(0..rank).rev().collect::<Vec<_>>(), 1), 0),
        Place::new(extents, &in_order(extents, &(0..rank).collect::<Vec<_>>(), 2), 1),
        Place::new(extents, &reversed, 1),
    ]
}

#[test]
fn every_kind_of_every_dtype_in_every_layout() {
    let with = |axis: WindowAxis, pad_begin, pad_end, dilation| WindowAxis { pad_begin, pad_end, dilation, ..axis };
    let square = window(&[(3, 2, 1), (3, 2, 1)]);
    let uneven = Window {
        axes: vec![with(square.axes[0], 2, 0, 2), with(WindowAxis { stride: 1, ..square.axes[1] }, 0, 2, 1)],
        ceil: true,
    };
    let cases: [(Window, &[i64]); 6] = [
        (square.clone(), &[2, 3, 9, 41]),
        (square, &[1, 19, 7, 8]),
        (uneven, &[2, 9, 8, 20]),
        (window(&[(2, 2, 0)]), &[3, 2, 37]),
        (window(&[(2, 1, 1), (3, 3, 1), (3, 1, 1)]), &[1, 9, 4, 5, 6]),
        (window(&[(4, 4, 0), (5, 3, 2)]), &[1, 2, 12, 70]),
    ];
    for (number, (window, images)) in cases.iter().enumerate() {
        let outputs = output_extents(window, images);
        for kind in KINDS {
            for dtype in DType::ALL.into_iter().filter(|dtype| kind.is_defined(*dtype)) {
                if EMULATED && (number > 1 || !matches!(dtype, DType::F32 | DType::F16 | DType::U8)) {
                    continue;
                }
                for (seed, (place, result)) in places(images).iter().zip(places(&outputs)).enumerate() {
                    check_at(kind, window, dtype, place, &result, seed as u64);
                }
                // Operands of one layout to results of another.
                check_at(kind, window, dtype, &places(images)[1], &places(&outputs)[0], 7);
            }
        }
    }
}

/// Images of every width around a vector's, so that each way to end a row is taken.
#[test]
fn rows_of_every_width() {
    for width in (1..70).step_by(if EMULATED { 7 } else { 1 }) {
        for (kernel, stride, pad) in
            [(2, 2, 0), (3, 1, 1), (3, 2, 1), (3, 2, 0), (2, 2, 1), (1, 2, 0), (5, 3, 2), (1, 1, 0)]
        {
            let window = window(&[(2, 1, 0), (kernel, stride, pad)]);
            let images = [1, 2, 3, width];
            if window.output_shape(&Shape::new(&images).unwrap()).is_err() {
                continue;
            }
            let outputs = output_extents(&window, &images);
            for kind in [Kind::Max, Kind::MaxWithIndices(DType::I32), Kind::Average(true)] {
                check_at(
                    kind,
                    &window,
                    DType::F32,
                    &Place::dense(&images, 1),
                    &Place::dense(&outputs, 3),
                    width as u64,
                );
            }
        }
    }
}

/// Windows longer than the places that rows wait in to be folded, longer than images, and with more padding than image.
#[test]
fn long_windows() {
    let wide = WindowAxis { kernel: 300, stride: 7, pad_begin: 299, pad_end: 290, ..WindowAxis::default() };
    let cases: [(Window, &[i64]); 5] = [
        (window(&[(11, 1, 5), (23, 2, 10)]), &[1, 2, 13, 30]),
        (window(&[(19, 1, 0), (19, 1, 0)]), &[1, 8, 19, 19]),
        (Window { axes: vec![wide, wide], ceil: false }, &[1, 1, 11, 9]),
        (Window { axes: vec![wide], ceil: true }, &[2, 9, 11]),
        (window(&[(3, 1, 2), (5, 2, 4), (11, 3, 10)]), &[1, 1, 3, 4, 5]),
    ];
    for (window, images) in &cases {
        let outputs = output_extents(window, images);
        for kind in KINDS {
            for (place, result) in places(images).iter().zip(places(&outputs)).take(2) {
                check_at(kind, window, DType::F32, place, &result, 3);
            }
            if kind.moves_bits() {
                check_at(kind, window, DType::I8, &places(images)[0], &places(&outputs)[0], 3);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if EMULATED { 40 } else { 800 }))]

    #[test]
    fn any_window_anywhere(
        (window, place, result) in case().prop_filter_map("fits", |(window, images)| {
            let outputs = extents(&window.output_shape(&Shape::new(&images).ok()?).ok()?);
            touches(&window, &images, &outputs).then_some((window, images, outputs))
        }).prop_flat_map(|(window, images, outputs)| (Just(window), anywhere(images), disjoint(outputs))),
        kind in proptest::sample::select(&KINDS[..]),
        dtype in proptest::sample::select(&DType::ALL[..]),
        seed in any::<u64>(),
    ) {
        if kind.is_defined(dtype) {
            check_at(kind, &window, dtype, &place, &result, seed);
        }
    }
}

/// More than one thread takes at a time, with rows that several of them need.
#[test]
fn the_same_on_any_number_of_threads() {
    let scale = if EMULATED { 4 } else { 1 };
    let cases: [(Window, Vec<i64>); 3] = [
        (window(&[(3, 2, 1), (3, 2, 1)]), vec![3, 37, 60 / scale, 60]),
        (window(&[(5, 1, 2), (3, 1, 1)]), vec![1, 1, 700 / scale, 300]),
        (window(&[(3, 1, 1), (2, 2, 0)]), vec![2, 16, 200 / scale, 90]),
    ];
    let kernels = on_many_threads();
    for (window, images) in &cases {
        let outputs = output_extents(window, images);
        for (place, result) in places(images).iter().zip(places(&outputs)).take(2) {
            for (kind, dtype) in [
                (Kind::Max, DType::F32),
                (Kind::MaxWithIndices(DType::I32), DType::F32),
                (Kind::MaxWithIndices(DType::I64), DType::U8),
                (Kind::Average(true), DType::BF16),
            ] {
                let x = mixed(dtype, place.buffer, &mut Generator(11));
                let places: Vec<(DType, &Place)> =
                    kind.results(dtype).into_iter().map(|dtype| (dtype, &result)).collect();
                let call = |kernels: &dyn Kernels, x: &[AnyView<'_>], to: &mut [AnyViewMut<'_>]| {
                    kind.call(kernels, window, &x[0], to)
                };
                let context = || format!("{kind:?} {window:?} of {dtype}");
                check_with(&kernels, &[(&x, place)], &places, kind.moves_bits(), &call, &context);
            }
        }
    }
}
