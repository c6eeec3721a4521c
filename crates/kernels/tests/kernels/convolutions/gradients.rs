//! Gradients: a convolution is linear in its images and in its weights, so for any gradient `g` of the result, the sums of
//! `g * y`, of `x * dx` and of `w * dw` are one number. On small integers every sum is exact.

use proptest::prelude::*;
use stratal_kernels::convolution::{Convolution, ConvolutionAxis, Strategy as Way, TransposedConvolution};
use stratal_kernels::{AnyView, Epilogue, Kernels};
use stratal_tensor_base::Shape;

use super::model::BY_PRECISION;
use crate::EMULATED;
use crate::array::Array;
use crate::place::Place;
use crate::values::Generator;

fn place(extents: &[i64]) -> Place {
    let place = Place::dense(extents, 0);
    Place { buffer: place.count(), ..place }
}

fn shape(extents: &[i64]) -> Shape {
    Shape::new(extents).unwrap()
}

fn integers(count: usize, generator: &mut Generator) -> Vec<f32> {
    (0..count).map(|_| generator.below(9) as f32 - 4.0).collect()
}

struct Gradients {
    output: Vec<f32>,
    images: Vec<f32>,
    weights: Vec<f32>,
}

/// The result, and the gradients for a gradient of it.
fn gradients(
    kernels: &dyn Kernels,
    convolution: &Convolution,
    (x, images): (&[f32], &[i64]),
    (w, kernel): (&[f32], &[i64]),
    gradient: &[f32],
) -> Gradients {
    let output: Vec<i64> = convolution
        .output_shape(&shape(images), &shape(kernel))
        .unwrap()
        .extents()
        .iter()
        .map(|extent| i64::from(*extent))
        .collect();
    let (x, w, g) = (Array::of(x), Array::of(w), Array::of(gradient));
    let (x, w, g) = (x.view(&place(images)), w.view(&place(kernel)), g.view(&place(&output)));
    let result = |extents: &[i64]| Array::canary(x.dtype(), place(extents).count());
    let [mut y, mut dx, mut dw] = [&output[..], images, kernel].map(result);
    kernels.convolve(convolution, &x, &w, &Epilogue::default(), &mut y.view_mut(&place(&output))).unwrap();
    let back = convolution.input_gradient(&shape(images), &shape(kernel)).unwrap();
    assert_eq!(back.output_shape(&shape(&output), &shape(kernel)).unwrap(), shape(images));
    kernels.convolve_transposed(&back, &g, &w, &Epilogue::default(), &mut dx.view_mut(&place(images))).unwrap();
    kernels.convolve_weight_gradient(convolution, &x, &g, &mut dw.view_mut(&place(kernel))).unwrap();
    Gradients { output: y.to_vec(), images: dx.to_vec(), weights: dw.to_vec() }
}

/// The result of a transposed convolution, and the gradients for a gradient of it.
fn transposed_gradients(
    kernels: &dyn Kernels,
    convolution: &TransposedConvolution,
    (x, images): (&[f32], &[i64]),
    (w, kernel): (&[f32], &[i64]),
    gradient: &[f32],
) -> Gradients {
    let output = convolution.output_shape(&shape(images), &shape(kernel)).unwrap();
    let output: Vec<i64> = output.extents().iter().map(|extent| i64::from(*extent)).collect();
    let (x, w, g) = (Array::of(x), Array::of(w), Array::of(gradient));
    let (x, w, g) = (x.view(&place(images)), w.view(&place(kernel)), g.view(&place(&output)));
    let result = |extents: &[i64]| Array::canary(x.dtype(), place(extents).count());
    let [mut y, mut dx, mut dw] = [&output[..], images, kernel].map(result);
    kernels.convolve_transposed(convolution, &x, &w, &Epilogue::default(), &mut y.view_mut(&place(&output))).unwrap();
    let (back, taken) = convolution.input_gradient(&shape(images), &shape(kernel)).unwrap();
    let narrowed: AnyView<'_> = taken
        .iter()
        .zip(2..)
        .fold(g, |view, (length, axis)| view.seen(|geometry| geometry.narrow(axis, 0, *length)).unwrap());
    assert_eq!(back.output_shape(narrowed.shape(), &shape(kernel)).unwrap(), shape(images));
    kernels.convolve(&back, &narrowed, &w, &Epilogue::default(), &mut dx.view_mut(&place(images))).unwrap();
    kernels.convolve_weight_gradient(&back, &narrowed, &x, &mut dw.view_mut(&place(kernel))).unwrap();
    Gradients { output: y.to_vec(), images: dx.to_vec(), weights: dw.to_vec() }
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if EMULATED { 12 } else { 200 }))]

    #[test]
    fn all_three_sums_are_one_number(
        axes in proptest::collection::vec((1..12_i64, 1..4_i64, 1..4_i64, 1..3_i64, 0..3_i64, 0..3_i64), 1..3),
        batch in 1..3_i64, groups in 1..4_i64, channels in 1..5_i64, outputs in 1..4_i64, seed in any::<u64>(),
    ) {
        let (mut images, mut kernel) = (vec![batch, channels * groups], vec![outputs * groups, channels]);
        let mut moves = Vec::new();
        for (extent, taps, stride, dilation, pad_begin, pad_end) in axes {
            images.push(extent.max((taps - 1) * dilation + 1 - pad_begin - pad_end));
            kernel.push(taps);
            moves.push(ConvolutionAxis { stride, dilation, pad_begin, pad_end });
        }
        let convolution = Convolution { groups: groups as usize, ..Convolution::new(moves) };
        let output = convolution.output_shape(&shape(&images), &shape(&kernel)).unwrap();
        let mut generator = Generator(seed);
        let x = integers(place(&images).count(), &mut generator);
        let w = integers(place(&kernel).count(), &mut generator);
        let g = integers(output.count(), &mut generator);
        let mut first: Option<Gradients> = None;
        for (precision, kernels) in BY_PRECISION.iter() {
            let found = gradients(&**kernels, &convolution, (&x, &images), (&w, &kernel), &g);
            let expected = dot(&g, &found.output);
            prop_assert_eq!(dot(&x, &found.images), expected, "images {:?} {:?} {:?} on {:?}", &convolution, &images, &kernel, kernels);
            prop_assert_eq!(dot(&w, &found.weights), expected, "weights {:?} {:?} {:?} on {:?}", &convolution, &images, &kernel, kernels);
            // Exact sums do not depend on their order.
            let first = first.get_or_insert_with(|| gradients(&**kernels, &convolution, (&x, &images), (&w, &kernel), &g));
            prop_assert_eq!(&found.images, &first.images, "{:?}", precision);
            prop_assert_eq!(&found.weights, &first.weights, "{:?}", precision);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if EMULATED { 12 } else { 200 }))]

    #[test]
    fn so_are_those_of_transposed_convolutions(
        axes in proptest::collection::vec((1..7_i64, 1..4_i64, 1..4_i64, 1..3_i64, 0..3_i64, 0..3_i64, 0..4_i64), 1..3),
        batch in 1..3_i64, groups in 1..4_i64, channels in 1..4_i64, outputs in 1..4_i64, seed in any::<u64>(),
    ) {
        let (mut images, mut kernel) = (vec![batch, channels * groups], vec![channels * groups, outputs]);
        let (mut moves, mut output_padding) = (Vec::new(), Vec::new());
        for (extent, taps, stride, dilation, pad_begin, pad_end, padding) in axes {
            // No more is cut off than there is.
            let reached = (extent - 1) * stride + (taps - 1) * dilation + 1 + padding;
            let (pad_begin, pad_end) = if pad_begin + pad_end <= reached { (pad_begin, pad_end) } else { (0, 0) };
            images.push(extent);
            kernel.push(taps);
            moves.push(ConvolutionAxis { stride, dilation, pad_begin, pad_end });
            output_padding.push(padding);
        }
        let convolution = TransposedConvolution { axes: moves, output_padding, groups: groups as usize };
        let output = convolution.output_shape(&shape(&images), &shape(&kernel)).unwrap();
        let mut generator = Generator(seed);
        let x = integers(place(&images).count(), &mut generator);
        let w = integers(place(&kernel).count(), &mut generator);
        let g = integers(output.count(), &mut generator);
        for (_, kernels) in BY_PRECISION.iter() {
            let found = transposed_gradients(&**kernels, &convolution, (&x, &images), (&w, &kernel), &g);
            let expected = dot(&g, &found.output);
            prop_assert_eq!(dot(&x, &found.images), expected, "images {:?} {:?} {:?} on {:?}", &convolution, &images, &kernel, kernels);
            prop_assert_eq!(dot(&w, &found.weights), expected, "weights {:?} {:?} {:?} on {:?}", &convolution, &images, &kernel, kernels);
        }
    }
}

/// The gradient has the shape of the images also where the result was padded by more than the kernel moves.
#[test]
fn output_padding_gets_nothing_and_gives_nothing() {
    let convolution = TransposedConvolution {
        output_padding: vec![1],
        ..TransposedConvolution::new(vec![ConvolutionAxis::default()])
    };
    for (_, kernels) in BY_PRECISION.iter() {
        let (x, w) = ([1.0, 2.0, 3.0, 4.0], [1.0, 10.0, 100.0]);
        let g = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1000.0];
        let found = transposed_gradients(&**kernels, &convolution, (&x, &[1, 1, 4]), (&w, &[1, 1, 3]), &g);
        assert_eq!(found.output, [1.0, 12.0, 123.0, 234.0, 340.0, 400.0, 0.0], "{kernels:?}");
        assert_eq!(found.images, [111.0; 4], "{kernels:?}");
        assert_eq!(found.weights, [10.0; 3], "{kernels:?}");
    }
}

/// Weights of one element, of images whose channels are not neighbours in memory: as for a copy that is row-major.
#[test]
fn gradients_of_small_weights_by_strided_channels() {
    let (images, kernel) = ([2_i64, 3, 1, 1], [4_i64, 3, 1, 1]);
    let values: Vec<f32> = (0..24).map(|number| (number * 7 % 11) as f32 - 5.0).collect();
    let g: Vec<f32> = (0..8).map(|number| (number * 5 % 7) as f32 - 3.0).collect();
    // Every second channel of six, and batches interleaved with them.
    let strided = Place { extents: images.to_vec(), strides: vec![1, 4, 9, 5], offset: 0, buffer: 24 };
    let array = Array::of(&values);
    let dense: Vec<f32> = (0..2).flat_map(|n| (0..3).map(move |c| (n, c))).map(|(n, c)| values[n + 4 * c]).collect();
    let convolution = Convolution::new(vec![ConvolutionAxis::default(); 2]);
    for (_, kernels) in BY_PRECISION.iter() {
        let g = Array::of(&g);
        let gradient = |x: &AnyView<'_>| {
            let mut weights = Array::canary(array.dtype, 12);
            let mut target = weights.view_mut(&place(&kernel));
            kernels.convolve_weight_gradient(&convolution, x, &g.view(&place(&[2, 4, 1, 1])), &mut target).unwrap();
            weights.to_vec::<f32>()
        };
        let expected: Vec<f32> = (0..4)
            .flat_map(|m| (0..3).map(move |c| (m, c)))
            .map(|(m, c)| (0..2).map(|n| dense[n * 3 + c] * g.to_vec::<f32>()[n * 4 + m]).sum())
            .collect();
        assert_eq!(gradient(&array.view(&strided)), expected, "{kernels:?}");
        assert_eq!(gradient(&Array::of(&dense).view(&place(&images))), expected, "{kernels:?}");
    }
}

/// The gradient has the shape of the images also where the last elements are seen by no window.
#[test]
fn what_no_window_sees_gets_zeros() {
    for (length, taps, stride) in [(11, 4, 4), (1603, 4, 4)] {
        let axis = ConvolutionAxis { stride, ..ConvolutionAxis::default() };
        let convolution = Convolution::new(vec![axis]);
        let x = vec![1.0; length as usize];
        let windows = (length - taps) / stride + 1;
        for (_, kernels) in BY_PRECISION.iter() {
            let found = gradients(
                &**kernels,
                &convolution,
                (&x, &[1, 1, length]),
                (&[1.0, 2.0, 3.0, 4.0], &[1, 1, taps]),
                &vec![1.0; windows as usize],
            );
            let expected: Vec<f32> =
                (0..length).map(|at| if at < windows * stride { (at % 4 + 1) as f32 } else { 0.0 }).collect();
            assert_eq!(found.images, expected, "{kernels:?}");
            assert_eq!(found.weights, [windows as f32; 4], "{kernels:?}");
        }
    }
    // A view of a larger image, strided, of which the last row and column are not seen.
    let axis = ConvolutionAxis { stride: 2, ..ConvolutionAxis::default() };
    let x = Array::of(&(0..25).map(|number| number as f32).collect::<Vec<_>>());
    let view = Place { extents: vec![1, 1, 4, 4], strides: vec![25, 25, 5, 1], offset: 0, buffer: 25 };
    let g = Array::of(&[1.0_f32]);
    for (_, kernels) in BY_PRECISION.iter() {
        let mut weights = Array::canary(x.dtype, 9);
        let convolution = Convolution::new(vec![axis; 2]);
        let mut target = weights.view_mut(&Place { buffer: 9, ..Place::dense(&[1, 1, 3, 3], 0) });
        kernels
            .convolve_weight_gradient(&convolution, &x.view(&view), &g.view(&place(&[1, 1, 1, 1])), &mut target)
            .unwrap();
        assert_eq!(weights.to_vec::<f32>(), [0.0, 1.0, 2.0, 5.0, 6.0, 7.0, 10.0, 11.0, 12.0], "{kernels:?}");
    }
}

/// A convolution that has one window may move by any distance, and its gradients are there all the same.
#[test]
fn gradients_of_a_single_window() {
    let axis = ConvolutionAxis { stride: 1 << 40, ..ConvolutionAxis::default() };
    let convolution = Convolution::new(vec![axis]);
    for (_, kernels) in BY_PRECISION.iter() {
        let found =
            gradients(&**kernels, &convolution, (&[3.0, 5.0, 7.0], &[1, 1, 3]), (&[2.0, 1.0], &[1, 1, 2]), &[10.0]);
        assert_eq!(found.output, [11.0], "{kernels:?}");
        assert_eq!(found.images, [20.0, 10.0, 0.0], "{kernels:?}");
        assert_eq!(found.weights, [30.0, 50.0], "{kernels:?}");
    }
}

/// A gradient that would need a convolution with huge pads is refused where it is asked for.
#[test]
fn gradients_that_no_convolution_gives_are_refused() {
    let axis = ConvolutionAxis { stride: 1024, pad_begin: (1 << 30) - 2000, ..ConvolutionAxis::default() };
    let convolution = TransposedConvolution::new(vec![axis]);
    let (images, weights) = (shape(&[1, 1, 1 << 20]), shape(&[1, 1, 1]));
    assert!(convolution.output_shape(&images, &weights).is_ok());
    let error = convolution.input_gradient(&images, &weights).unwrap_err();
    assert!(error.to_string().ends_with("elements with its padding: too many to be copied"), "{error}");
}

/// A way that was asked for by name is kept to, or refused, by gradients too.
#[test]
fn a_strategy_that_does_not_fit_is_refused() {
    let convolution =
        Convolution { strategy: Some(Way::Pointwise), ..Convolution::new(vec![ConvolutionAxis::default()]) };
    let (x, g) = (Array::of(&[1.0_f32, 2.0, 3.0]), Array::of(&[1.0_f32, 1.0]));
    for (_, kernels) in BY_PRECISION.iter() {
        let mut weights = Array::canary(x.dtype, 2);
        let mut target = weights.view_mut(&place(&[1, 1, 2]));
        let (x, g) = (x.view(&place(&[1, 1, 3])), g.view(&place(&[1, 1, 2])));
        assert!(kernels.convolve_weight_gradient(&convolution, &x, &g, &mut target).is_err(), "{kernels:?}");
        assert_eq!(weights, Array::canary(x.dtype(), 2));
    }
}
