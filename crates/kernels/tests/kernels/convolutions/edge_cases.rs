//! What other libraries got wrong, with right answers.

use stratal_kernels::Epilogue;
use stratal_kernels::convolution::{Convolution, ConvolutionAxis, Strategy, TransposedConvolution};
use stratal_kernels::pool::AutoPad;
use stratal_tensor_base::Shape;

use super::model::BY_PRECISION;
use crate::array::Array;
use crate::place::Place;

fn place(extents: &[i64]) -> Place {
    let place = Place::dense(extents, 0);
    Place { buffer: place.count(), ..place }
}

fn extents(shape: Shape) -> Vec<i64> {
    shape.extents().iter().map(|extent| i64::from(*extent)).collect()
}

/// The result on every backend and by every strategy that fits, each with its name.
fn convolve(
    convolution: &Convolution,
    (x, images): (&[f32], &[i64]),
    (w, kernel): (&[f32], &[i64]),
) -> Vec<(String, Vec<f32>)> {
    let output = extents(convolution.output_shape(&Shape::new(images).unwrap(), &Shape::new(kernel).unwrap()).unwrap());
    let (x, w, result) = (Array::of(x), Array::of(w), place(&output));
    let mut all = Vec::new();
    for (precision, kernels) in BY_PRECISION.iter() {
        for strategy in [None, Some(Strategy::Implicit), Some(Strategy::Direct)] {
            let convolution = Convolution { strategy, ..convolution.clone() };
            let mut found = Array::canary(x.dtype, result.count());
            let (x, w) = (x.view(&place(images)), w.view(&place(kernel)));
            kernels.convolve(&convolution, &x, &w, &Epilogue::default(), &mut found.view_mut(&result)).unwrap();
            all.push((format!("{precision:?} {kernels:?} {strategy:?}"), found.to_vec()));
        }
    }
    all
}

fn transposed(
    convolution: &TransposedConvolution,
    (x, images): (&[f32], &[i64]),
    (w, kernel): (&[f32], &[i64]),
) -> Vec<Vec<f32>> {
    let output = extents(convolution.output_shape(&Shape::new(images).unwrap(), &Shape::new(kernel).unwrap()).unwrap());
    let (x, w, result) = (Array::of(x), Array::of(w), place(&output));
    let run = |(_, kernels): &(_, std::sync::Arc<dyn stratal_kernels::Kernels>)| {
        let mut found = Array::canary(x.dtype, result.count());
        let (x, w) = (x.view(&place(images)), w.view(&place(kernel)));
        kernels.convolve_transposed(convolution, &x, &w, &Epilogue::default(), &mut found.view_mut(&result)).unwrap();
        found.to_vec()
    };
    BY_PRECISION.iter().map(run).collect()
}

/// Padding is zeros, and zeros are multiplied: by an infinite weight they give NaN.
#[test]
fn padding_times_infinity_is_not_a_number() {
    let axis = ConvolutionAxis { pad_begin: 1, pad_end: 1, ..ConvolutionAxis::default() };
    for (channels, groups) in [(4, 1), (5, 1), (2, 2), (17, 1), (16, 16)] {
        let x: Vec<f32> = (1..=channels * 16).map(|number| number as f32).collect();
        let per_group = channels / groups;
        let mut weights = vec![1.0_f32; (groups * per_group * 9) as usize];
        for output in 0..groups {
            weights[(output * per_group * 9) as usize] = f32::NEG_INFINITY;
        }
        let convolution = Convolution { groups: groups as usize, ..Convolution::new(vec![axis; 2]) };
        let results = convolve(&convolution, (&x, &[1, channels, 4, 4]), (&weights, &[groups, per_group, 3, 3]));
        for (name, found) in results {
            for (index, value) in found.iter().enumerate() {
                let (row, column) = (index / 4 % 4, index % 4);
                // The element of the kernel that is infinite sees the one before in both axes.
                let is_padding = row == 0 || column == 0;
                let is_right = if is_padding { value.is_nan() } else { *value == f32::NEG_INFINITY };
                assert!(is_right, "{value} at {row}, {column} of {channels} channels by {name}");
            }
        }
    }
}

#[test]
fn padding_that_follows_from_the_extent_is_larger_on_the_side_it_says() {
    for (padding, expected) in [
        (AutoPad::SameLower, vec![3.0, 6.0, 10.0, 14.0, 12.0]),
        (AutoPad::SameUpper, vec![6.0, 10.0, 14.0, 12.0, 9.0]),
        (AutoPad::Valid, vec![10.0, 14.0]),
    ] {
        let axis = ConvolutionAxis::default().with_auto_pad(padding, 5, 4).unwrap();
        let results =
            convolve(&Convolution::new(vec![axis]), (&[1.0, 2.0, 3.0, 4.0, 5.0], &[1, 1, 5]), (&[1.0; 4], &[1, 1, 4]));
        for (name, found) in results {
            assert_eq!(found, expected, "{padding:?} by {name}");
        }
    }
    // Strides that reach further than the kernel need no padding.
    let axis =
        ConvolutionAxis { stride: 3, ..ConvolutionAxis::default() }.with_auto_pad(AutoPad::SameUpper, 5, 1).unwrap();
    let results =
        convolve(&Convolution::new(vec![axis]), (&[1.0, 2.0, 3.0, 4.0, 5.0], &[1, 1, 5]), (&[1.0], &[1, 1, 1]));
    for (name, found) in results {
        assert_eq!(found, [1.0, 4.0], "{name}");
    }
}

#[test]
fn pads_of_two_sides_count_for_their_own_axis() {
    let axes =
        [(1, 1), (0, 0)].map(|(pad_begin, pad_end)| ConvolutionAxis { stride: 2, dilation: 1, pad_begin, pad_end });
    let convolution = Convolution::new(axes.to_vec());
    let shape = |extents: &[i64]| Shape::new(extents).unwrap();
    assert_eq!(convolution.output_shape(&shape(&[1, 1, 7, 5]), &shape(&[1, 1, 3, 3])).unwrap(), shape(&[1, 1, 4, 2]));
}

/// Where an element of the kernel has no input, nothing is added, and nothing is written beside the result.
#[test]
fn a_transposed_kernel_reaches_only_what_is_left_of_the_result() {
    for (pads, expected) in [((1, 0), [60.0]), ((0, 1), [30.0])] {
        let axes = vec![
            ConvolutionAxis::default(),
            ConvolutionAxis { pad_begin: pads.0, pad_end: pads.1, ..ConvolutionAxis::default() },
        ];
        let convolution = TransposedConvolution::new(axes);
        for found in transposed(&convolution, (&[3.0], &[1, 1, 1, 1]), (&[10.0, 20.0], &[1, 1, 1, 2])) {
            assert_eq!(found, expected);
        }
    }
    // A stride longer than the kernel leaves zeros, and an infinite weight does not change them.
    let axis = ConvolutionAxis { stride: 3, ..ConvolutionAxis::default() };
    let convolution = TransposedConvolution { output_padding: vec![1], ..TransposedConvolution::new(vec![axis]) };
    for found in transposed(&convolution, (&[1.0, 2.0], &[1, 1, 2]), (&[1.0, f32::INFINITY], &[1, 1, 2])) {
        assert_eq!(found, [1.0, f32::INFINITY, 0.0, 2.0, f32::INFINITY, 0.0]);
    }
}

#[test]
fn images_without_channels_or_of_no_batch_give_zeros_and_nothing() {
    let convolution = Convolution::new(vec![ConvolutionAxis::default()]);
    for (name, found) in convolve(&convolution, (&[], &[2, 0, 3]), (&[], &[2, 0, 2])) {
        assert_eq!(found, [0.0; 8], "{name}");
    }
    for (name, found) in convolve(&convolution, (&[], &[0, 2, 3]), (&[1.0; 8], &[2, 2, 2])) {
        assert_eq!(found, [0.0; 0], "{name}");
    }
    for (name, found) in convolve(&convolution, (&[1.0; 6], &[1, 2, 3]), (&[], &[0, 2, 2])) {
        assert_eq!(found, [0.0; 0], "{name}");
    }
}

/// A view without elements whose strides lead beyond its buffer, which nothing reads.
#[test]
fn an_empty_image_with_padding_is_all_padding() {
    let axis = ConvolutionAxis { pad_begin: 2, pad_end: 2, ..ConvolutionAxis::default() };
    let x = Array::of::<f32>(&[]);
    let image = Place { extents: vec![1, 1, 2, 0], strides: vec![8, 8, 4, 1], offset: 0, buffer: 0 };
    let (weights, kernel) = (Array::of(&[1.0_f32; 9]), place(&[1, 1, 3, 3]));
    for (_, kernels) in BY_PRECISION.iter() {
        let mut found = Array::canary(x.dtype, 8);
        let (x, weights) = (x.view(&image), weights.view(&kernel));
        let mut result = found.view_mut(&place(&[1, 1, 4, 2]));
        kernels.convolve(&Convolution::new(vec![axis; 2]), &x, &weights, &Epilogue::default(), &mut result).unwrap();
        assert_eq!(found.to_vec::<f32>(), [0.0; 8], "{kernels:?}");
    }
}

#[test]
fn strategies_have_names() {
    for strategy in Strategy::ALL {
        assert_eq!(strategy.name().parse(), Ok(strategy));
    }
    assert_eq!(
        "winograd".parse::<Strategy>().unwrap_err().to_string(),
        "unknown strategy \"winograd\": expected one of pointwise, implicit, direct"
    );
}
