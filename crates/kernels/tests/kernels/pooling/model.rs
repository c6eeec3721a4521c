//! The reference against a model in plain Rust, which counts in i128 and sees every element of every window.

use proptest::prelude::*;
use stratal_kernels::pool::{Window, WindowAxis};
use stratal_kernels::{AnyView, AnyViewMut, Kernels};
use stratal_tensor_base::{DType, Shape};

use super::{Kind, extents};
use crate::EMULATED;
use crate::array::Array;
use crate::backends::reference;
use crate::laid::results;
use crate::values::{Generator, mixed};

/// The number of windows, by trying them one after the other; none if a window does not fit.
fn outputs(axis: &WindowAxis, extent: i64, ceil: bool) -> i64 {
    let reach = (axis.kernel - 1) * axis.dilation + 1;
    let padded = extent + axis.pad_begin + axis.pad_end;
    let mut count = 0;
    loop {
        let start = count * axis.stride;
        let fits = start + reach <= padded;
        // With `ceil`, a window that begins between the last that fits and the end of the image counts too.
        let is_cut = ceil && count > 0 && start < extent + axis.pad_begin && (count - 1) * axis.stride + reach < padded;
        if !fits && !is_cut {
            return count;
        }
        count += 1;
    }
}

fn window_axis() -> impl Strategy<Value = WindowAxis> {
    (1..5_i64, 1..5_i64, 1..4_i64).prop_flat_map(|(kernel, stride, dilation)| {
        (0..kernel, 0..kernel).prop_map(move |(pad_begin, pad_end)| WindowAxis {
            kernel,
            stride,
            dilation,
            pad_begin,
            pad_end,
        })
    })
}

/// A window and the extents of images.
pub(super) fn case() -> impl Strategy<Value = (Window, Vec<i64>)> {
    let axes = proptest::collection::vec((window_axis(), 1..12_i64), 1..4);
    let channels = prop_oneof![3 => 1..4_i64, 1 => 8..20_i64];
    (axes, any::<bool>(), 0..3_i64, channels)
        .prop_map(|(axes, ceil, batch, channels)| {
            let mut extents = vec![batch, channels];
            extents.extend(axes.iter().map(|(_, extent)| extent));
            (Window { axes: axes.into_iter().map(|(axis, _)| axis).collect(), ceil }, extents)
        })
        .prop_filter("small", |(_, extents)| extents.iter().product::<i64>() < 4000)
}

/// Whether each window has an element inside its image.
pub(super) fn touches(window: &Window, images: &[i64], outputs: &[i64]) -> bool {
    window.axes.iter().enumerate().all(|(number, axis)| {
        (0..outputs[number + 2]).all(|position| {
            let start = position * axis.stride - axis.pad_begin;
            (0..axis.kernel).any(|element| (0..images[number + 2]).contains(&(start + element * axis.dilation)))
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if EMULATED { 40 } else { 600 }))]

    #[test]
    fn extents_and_results_are_those_of_the_model((window, images) in case(), seed in any::<u64>()) {
        let shape = Shape::new(&images).unwrap();
        let modelled: Vec<i64> = window
            .axes
            .iter()
            .zip(&images[2..])
            .map(|(axis, extent)| outputs(axis, *extent, window.ceil))
            .collect();
        let found = window.output_shape(&shape);
        prop_assert_eq!(found.is_err(), modelled.contains(&0), "{:?}", found);
        if let Ok(found) = found {
            let found = extents(&found);
            prop_assert_eq!(&found[2..], &modelled);
            if touches(&window, &images, &found) {
                check(&window, &images, &found, seed);
            }
        }
    }
}

fn check(window: &Window, images: &[i64], outputs: &[i64], seed: u64) {
    let count = images.iter().product::<i64>() as usize;
    // Few values, so that many are equal, and now and then a NaN.
    let mut generator = Generator(seed);
    let panel =
        [0.0_f32, -0.0, 1.0, -1.0, 2.0, f32::NEG_INFINITY, f32::from_bits(0xFFC0_0001), f32::from_bits(0x7FC0_0002)];
    let kinds = if seed.is_multiple_of(2) { panel.len() } else { panel.len() - 2 };
    let x: Vec<f32> = (0..count).map(|_| panel[generator.below(kinds)]).collect();
    let plane: i64 = images[2..].iter().product();
    let places: i64 = outputs[2..].iter().product();
    let (mut maxima, mut indices, mut averages) = (Vec::new(), Vec::new(), [Vec::new(), Vec::new()]);
    for image in 0..images[0] * images[1] {
        for output in 0..places {
            let mut best: Option<(f32, i64)> = None;
            let (mut sum, mut row_sum): (Option<f32>, Option<f32>) = (None, None);
            let (mut inside, mut padded) = (0_u32, 0_u32);
            let total: i64 = window.axes.iter().map(|axis| axis.kernel).product();
            for element in 0..total {
                let (mut rest_of_output, mut rest_of_element) = (output, element);
                let (mut position, mut step) = (0, 1);
                let (mut is_inside, mut is_padded) = (true, true);
                for (number, axis) in window.axes.iter().enumerate().rev() {
                    let (o, e) = (rest_of_output % outputs[number + 2], rest_of_element % axis.kernel);
                    (rest_of_output, rest_of_element) =
                        (rest_of_output / outputs[number + 2], rest_of_element / axis.kernel);
                    let at = o * axis.stride - axis.pad_begin + e * axis.dilation;
                    let extent = images[number + 2];
                    is_inside &= (0..extent).contains(&at);
                    is_padded &= at < extent + axis.pad_end;
                    position += at * step;
                    step *= extent;
                }
                padded += u32::from(is_padded);
                if is_inside {
                    inside += 1;
                    let value = x[(image * plane + position) as usize];
                    let is_better = |(old, _): (f32, i64)| !old.is_nan() && (value.is_nan() || value > old);
                    if best.is_none_or(is_better) {
                        best = Some((value, position));
                    }
                    row_sum = Some(row_sum.map_or(value, |sum| sum + value));
                }
                let row = window.axes[window.axes.len() - 1].kernel;
                if (element + 1) % row == 0
                    && let Some(of_row) = row_sum.take()
                {
                    sum = Some(sum.map_or(of_row, |sum| sum + of_row));
                }
            }
            let (value, index) = best.unwrap();
            maxima.push(value.to_bits());
            indices.push(index as u64);
            averages[0].push(sum.unwrap() / inside as f32);
            averages[1].push(sum.unwrap() / padded as f32);
        }
    }
    let run = |kind: Kind| {
        let kinds: Vec<(DType, Vec<i64>)> =
            kind.results(DType::F32).into_iter().map(|dtype| (dtype, outputs.to_vec())).collect();
        let call =
            |kernels: &dyn Kernels, x: &[AnyView<'_>], to: &mut [AnyViewMut<'_>]| kind.call(kernels, window, &x[0], to);
        results(reference(), &[(Array::of(&x), images.to_vec())], &kinds, &call)
    };
    let found = run(Kind::MaxWithIndices(DType::I64));
    assert!(found[0].patterns().eq(maxima.into_iter().map(u64::from)));
    assert!(found[1].patterns().eq(indices));
    for (counts, averages) in [false, true].into_iter().zip(averages) {
        let found = run(Kind::Average(counts))[0].to_vec::<f32>();
        let same = |(a, b): (&f32, &f32)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
        assert!(found.iter().zip(&averages).all(same), "{found:?} {averages:?}");
    }
}

/// Power means of f32 within a few units of those in f64, and exact ones where they are whole.
#[test]
fn power_means_are_near_those_in_f64() {
    let mut generator = Generator(4);
    let window = super::window(&[(3, 2, 1), (2, 1, 0)]);
    let images = [2, 3, 9, 8];
    let x: Vec<f32> = mixed(DType::F32, 2 * 3 * 9 * 8, &mut generator)
        .patterns()
        .map(|pattern| (pattern % 4096) as f32 / 64.0 - 32.0)
        .collect();
    let x = Array::of(&x);
    let wide = Array::of(&x.to_vec::<f32>().iter().map(|x| f64::from(*x)).collect::<Vec<_>>());
    let outputs = extents(&window.output_shape(&Shape::new(&images).unwrap()).unwrap());
    for power in [1, 2, 3, 5] {
        let run = |x: &Array| {
            let call = |kernels: &dyn Kernels, x: &[AnyView<'_>], to: &mut [AnyViewMut<'_>]| {
                Kind::Power(power).call(kernels, &window, &x[0], to)
            };
            results(reference(), &[(x.clone(), images.to_vec())], &[(x.dtype, outputs.clone())], &call).remove(0)
        };
        let exact: Vec<f64> = run(&wide).to_vec();
        for (found, exact) in run(&x).to_vec::<f32>().into_iter().zip(exact) {
            assert!((f64::from(found) / exact - 1.0).abs() < 8.0 * f64::from(f32::EPSILON), "{power}: {found} {exact}");
        }
    }
}
