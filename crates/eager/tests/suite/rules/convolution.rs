//! Problems of convolutions.

use stratal_kernels::pool::AutoPad;
use stratal_ops as ops;
use stratal_ops::{Filter, Sliding, SlidingPadding};
use stratal_tensor::Tensor;

use super::problem::{Problem, spread_from};

pub(super) fn add_to(problems: &mut Vec<Problem>) {
    convolutions(problems);
    transposed(problems);
    deformed(problems);
}

fn convolutions(problems: &mut Vec<Problem>) {
    for (images, weights, filter) in [
        (&[2, 2, 5][..], &[3, 2, 2][..], filter(&[], &[], &[], 1)),
        // A tail that no window reaches.
        (&[1, 1, 11], &[1, 1, 4], filter(&[4], &[], &[], 1)),
        (&[1, 2, 9], &[2, 1, 2], filter(&[3], &[2], &[1, 2], 2)),
        // Longer padding on one side, and windows in padding alone.
        (&[1, 1, 2], &[1, 1, 2], filter(&[], &[], &[3, 0], 1)),
        (&[1, 2, 4, 4], &[2, 2, 3, 3], filter(&[2, 2], &[], &[], 1)),
        (&[2, 2, 4, 3], &[2, 2, 2, 3], filter(&[1, 2], &[2, 1], &[0, 1, 1, 2], 1)),
        (&[1, 4, 3, 3], &[4, 2, 2, 2], filter(&[], &[1, 2], &[0, 1, 0, 0], 2)),
        // A kernel for each channel, and of one element.
        (&[1, 3, 3, 3], &[6, 1, 2, 2], filter(&[], &[], &[1; 4], 3)),
        (&[2, 3, 2, 2], &[2, 3, 1, 1], filter(&[], &[], &[], 1)),
        (&[2, 3, 1, 1], &[2, 3, 1, 1], filter(&[], &[], &[], 1)),
        (&[1, 2, 3, 3], &[1, 2, 1, 1], filter(&[2, 2], &[], &[], 1)),
        (&[1, 2, 2, 3, 2], &[2, 1, 2, 2, 1], filter(&[1, 2, 1], &[], &[1, 0, 0, 0, 1, 1], 2)),
        (&[1, 1, 4, 3], &[1, 1, 2, 2], auto(AutoPad::SameUpper, &[2, 1])),
        (&[1, 1, 3, 4], &[1, 1, 2, 3], auto(AutoPad::SameLower, &[1, 2])),
        (&[1, 1, 3, 4], &[1, 1, 2, 2], auto(AutoPad::Valid, &[1, 2])),
        (&[0, 2, 3], &[2, 2, 2], filter(&[], &[], &[], 1)),
        (&[1, 0, 3], &[2, 0, 2], filter(&[], &[], &[], 1)),
        (&[1, 2, 3], &[0, 2, 2], filter(&[], &[], &[], 1)),
        (&[1, 1, 0], &[1, 1, 2], filter(&[], &[], &[1, 1], 1)),
    ] {
        let operands = [spread_from(0, images, -1.0, 1.0), spread_from(1, weights, -1.0, 1.0)];
        let bias = spread_from(2, &weights[..1], -1.0, 1.0);
        let conv = ops::Conv { filter };
        problems.push(Problem::new(conv.clone(), operands.clone()));
        problems.push(Problem::new(conv, operands.into_iter().chain([bias])));
    }
}

fn transposed(problems: &mut Vec<Problem>) {
    let of = |filter| ops::ConvTranspose { filter, ..ops::ConvTranspose::default() };
    let padded = |filter, padding: &[i64]| ops::ConvTranspose { output_padding: padding.to_vec(), ..of(filter) };
    let shaped = |filter, shape: &[i64]| ops::ConvTranspose { output_shape: shape.to_vec(), ..of(filter) };
    for (images, weights, transposed) in [
        (&[2, 2, 3][..], &[2, 3, 2][..], of(filter(&[], &[], &[], 1))),
        (&[1, 1, 4], &[1, 1, 3], padded(filter(&[], &[], &[], 1), &[1])),
        (&[1, 2, 3], &[2, 1, 3], padded(filter(&[3], &[2], &[1, 2], 2), &[2])),
        // More padding of the result than is cut off, and less.
        (&[1, 1, 3], &[1, 1, 2], padded(filter(&[2], &[], &[0, 1], 1), &[3])),
        (&[1, 1, 3], &[1, 1, 2], padded(filter(&[2], &[], &[1, 3], 1), &[1])),
        (&[1, 2, 2, 3], &[2, 2, 2, 2], of(filter(&[2, 2], &[], &[], 1))),
        (&[2, 2, 2, 2], &[2, 1, 3, 2], of(filter(&[2, 1], &[1, 2], &[0, 1, 1, 0], 1))),
        (&[1, 4, 2, 2], &[4, 2, 2, 1], of(filter(&[2, 1], &[], &[], 2))),
        (&[1, 2, 2, 1, 2], &[2, 1, 2, 2, 1], padded(filter(&[1, 2, 2], &[], &[0, 1, 0, 0, 0, 1], 2), &[0, 1, 1])),
        (&[1, 1, 3, 2], &[1, 1, 3, 3], of(auto(AutoPad::SameUpper, &[2, 1]))),
        (&[1, 1, 2, 3], &[1, 1, 3, 2], of(auto(AutoPad::SameLower, &[1, 2]))),
        (&[1, 1, 3], &[1, 1, 2], shaped(filter(&[2], &[], &[], 1), &[4])),
        (&[1, 1, 2], &[1, 1, 3], shaped(filter(&[2], &[], &[], 1), &[7])),
        // All but what one element of the kernel reaches is cut off.
        (&[1, 1, 1, 1], &[1, 1, 1, 2], of(filter(&[], &[], &[0, 1, 0, 0], 1))),
        (&[0, 1, 2], &[1, 1, 2], of(filter(&[], &[], &[], 1))),
        (&[1, 1, 2], &[1, 0, 2], of(filter(&[], &[], &[], 1))),
    ] {
        let operands = [spread_from(0, images, -1.0, 1.0), spread_from(1, weights, -1.0, 1.0)];
        let bias = spread_from(2, &[weights[1] * transposed.filter.groups as i64], -1.0, 1.0);
        problems.push(Problem::new(transposed.clone(), operands.clone()));
        problems.push(Problem::new(transposed, operands.into_iter().chain([bias])));
    }
}

fn deformed(problems: &mut Vec<Problem>) {
    for (images, weights, output, filter, offset_groups) in [
        (&[2, 1, 3][..], &[1, 1, 2][..], &[2][..], filter(&[], &[], &[], 1), 1),
        (&[1, 2, 3, 2], &[1, 2, 2, 2], &[2, 1], filter(&[], &[], &[], 1), 2),
        (&[1, 2, 3, 3], &[2, 1, 2, 1], &[1, 2], filter(&[2, 2], &[2, 1], &[1, 0, 0, 1], 2), 1),
        (&[1, 1, 2, 1, 2], &[1, 1, 1, 1, 2], &[2, 1, 1], filter(&[], &[], &[], 1), 1),
        (&[0, 1, 3], &[1, 1, 2], &[2], filter(&[], &[], &[], 1), 1),
    ] {
        let conv = ops::DeformConv { filter, offset_groups };
        let taps: i64 = weights[2..].iter().product();
        let places = |each: i64| {
            [images[0], offset_groups as i64 * taps * each]
                .into_iter()
                .chain(output.iter().copied())
                .collect::<Vec<_>>()
        };
        // Offsets that keep away from whole numbers, where planes meet, and reach outside.
        let offsets = of_fractions(&places(weights.len() as i64 - 2));
        let operands = [spread_from(0, images, -1.0, 1.0), spread_from(1, weights, -1.0, 1.0), offsets];
        let (bias, mask) = (spread_from(2, &weights[..1], -1.0, 1.0), spread_from(3, &places(1), 0.2, 1.0));
        problems.push(Problem::new(conv.clone(), operands.clone()));
        let masked = operands.clone().into_iter().map(Some).chain([None, Some(mask.clone())]);
        problems.push(Problem::with_missing(conv.clone(), masked));
        problems.push(Problem::new(conv, operands.into_iter().chain([bias, mask])));
    }
}

/// Numbers from -2 to 2 whose fractions are from 0.2 to 0.8.
fn of_fractions(shape: &[i64]) -> Tensor {
    let count = shape.iter().product::<i64>() as usize;
    let at = |element: usize| (element * 7 % 4) as f64 - 2.0 + 0.2 + 0.6 * ((element + 1) as f64 * 0.618).fract();
    Tensor::from_vec((0..count).map(at).collect::<Vec<f64>>(), shape).unwrap()
}

fn filter(strides: &[i64], dilations: &[i64], pads: &[i64], groups: usize) -> Filter {
    let padding = SlidingPadding::Explicit(pads.to_vec());
    let sliding = Sliding { strides: strides.to_vec(), dilations: dilations.to_vec(), padding };
    Filter { sliding, groups, ..Filter::default() }
}

fn auto(padding: AutoPad, strides: &[i64]) -> Filter {
    let sliding = Sliding { strides: strides.to_vec(), padding: SlidingPadding::Auto(padding), ..Sliding::default() };
    Filter { sliding, ..Filter::default() }
}
