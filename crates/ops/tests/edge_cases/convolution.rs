//! Convolutions with odd padding, infinite weights and positions that no input reaches.

use stratal_ops::Attributes;
use stratal_tensor::Tensor;

use crate::every_way::{FLOATS, gives, plain, tensor, typed};

#[test]
fn the_odd_element_of_padding_is_on_the_side_that_is_named() {
    for dtype in FLOATS {
        let (x, w) = (typed(dtype, &[1.0, 2.0, 3.0, 4.0, 5.0], &[1, 1, 5]), typed(dtype, &[1.0; 4], &[1, 1, 4]));
        let lower = typed(dtype, &[3.0, 6.0, 10.0, 14.0, 12.0], &[1, 1, 5]);
        let upper = typed(dtype, &[6.0, 10.0, 14.0, 12.0, 9.0], &[1, 1, 5]);
        gives("Conv", &plain().with("auto_pad", "SAME_LOWER"), &[&x, &w], &lower);
        gives("Conv", &plain().with("auto_pad", "SAME_UPPER"), &[&x, &w], &upper);
        // Along both axes of an image alike.
        let turn = |x: &Tensor, extents: &[i64]| x.reshape(extents).unwrap();
        let column = [turn(&x, &[1, 1, 5, 1]), turn(&w, &[1, 1, 4, 1])];
        gives("Conv", &plain().with("auto_pad", "SAME_LOWER"), &[&column[0], &column[1]], &turn(&lower, &[1, 1, 5, 1]));
        gives("Conv", &plain().with("auto_pad", "SAME_UPPER"), &[&column[0], &column[1]], &turn(&upper, &[1, 1, 5, 1]));
    }
}

#[test]
fn steps_beyond_the_kernel_need_no_padding() {
    for dtype in FLOATS {
        let (x, w) = (typed(dtype, &[1.0, 2.0, 3.0, 4.0, 5.0], &[1, 1, 5]), typed(dtype, &[1.0], &[1, 1, 1]));
        for side in ["SAME_UPPER", "SAME_LOWER"] {
            let attributes = plain().with("auto_pad", side).with("strides", vec![3]);
            gives("Conv", &attributes, &[&x, &w], &typed(dtype, &[1.0, 4.0], &[1, 1, 2]));
        }
    }
}

#[test]
fn steps_and_dilations_are_one_if_nothing_is_said() {
    for dtype in FLOATS {
        let elements: Vec<_> = (0..12).map(f64::from).collect();
        let (x, w) = (typed(dtype, &elements, &[1, 1, 3, 4]), typed(dtype, &[1.0, 2.0, 3.0, 4.0], &[1, 1, 2, 2]));
        let expected = typed(dtype, &[34.0, 44.0, 54.0, 74.0, 84.0, 94.0], &[1, 1, 2, 3]);
        gives("Conv", &plain(), &[&x, &w], &expected);
        let said = plain().with("strides", vec![1, 1]).with("dilations", vec![1, 1]).with("pads", vec![0; 4]);
        gives("Conv", &said.with("kernel_shape", vec![2, 2]), &[&x, &w], &expected);
        let one = typed(dtype, &[2.0], &[1, 1, 1, 1]);
        gives("ConvTranspose", &plain(), &[&one, &w], &typed(dtype, &[2.0, 4.0, 6.0, 8.0], &[1, 1, 2, 2]));
    }
}

#[test]
fn padding_times_an_infinite_weight_is_nan() {
    for dtype in FLOATS {
        let expected = |channels: usize| {
            let nan = |at: usize| if at / 4 == 0 || at.is_multiple_of(4) { f64::NAN } else { -f64::INFINITY };
            let elements: Vec<_> = (0..16 * channels).map(|at| nan(at % 16)).collect();
            typed(dtype, &elements, &[1, channels as i64, 4, 4])
        };
        let image = |channels: usize| {
            let elements: Vec<_> = (1..=16 * channels).map(|x| x as f64).collect();
            typed(dtype, &elements, &[1, channels as i64, 4, 4])
        };
        let pads = || plain().with("pads", vec![1; 4]);
        for channels in [1, 4, 5, 16, 17] {
            let mut weights = vec![1.0; 9 * channels];
            weights[0] = -f64::INFINITY;
            let w = typed(dtype, &weights, &[1, channels as i64, 3, 3]);
            gives("Conv", &pads(), &[&image(channels), &w], &expected(1));
        }
        for channels in [2, 3, 16] {
            let weights: Vec<_> = (0..9 * channels).map(|at| if at % 9 == 0 { -f64::INFINITY } else { 1.0 }).collect();
            let w = typed(dtype, &weights, &[channels as i64, 1, 3, 3]);
            gives("Conv", &pads().with("group", channels as i64), &[&image(channels), &w], &expected(channels));
        }
    }
}

#[test]
fn cropped_positions_of_a_transposed_convolution_are_left_out() {
    for dtype in FLOATS {
        let x = typed(dtype, &[3.0], &[1, 1, 1, 1]);
        let across = typed(dtype, &[10.0, 20.0], &[1, 1, 1, 2]);
        let cropped = |w: &Tensor, pads: [i64; 4], attributes: Attributes, expected: &[f64], extents: &[i64]| {
            gives("ConvTranspose", &attributes.with("pads", pads.to_vec()), &[&x, w], &typed(dtype, expected, extents));
        };
        cropped(&across, [0, 1, 0, 0], plain(), &[60.0], &[1, 1, 1, 1]);
        cropped(&across, [0, 0, 0, 1], plain(), &[30.0], &[1, 1, 1, 1]);
        let down = across.reshape(&[1, 1, 2, 1]).unwrap();
        cropped(&down, [1, 0, 0, 0], plain(), &[60.0], &[1, 1, 1, 1]);
        cropped(&down, [0, 0, 1, 0], plain(), &[30.0], &[1, 1, 1, 1]);
        // With a dilation, the position between two weights has no input.
        let dilated = plain().with("dilations", vec![1, 2]);
        cropped(&across, [0, 1, 0, 0], dilated.clone(), &[0.0, 60.0], &[1, 1, 1, 2]);
        cropped(&across, [0, 1, 0, 1], dilated, &[0.0], &[1, 1, 1, 1]);
    }
    let x = tensor(&[1.0_f32, 2.0], &[1, 1, 2]);
    let w = tensor(&[1.0_f32, 10.0], &[1, 1, 2]);
    // A step beyond the kernel leaves gaps.
    gives(
        "ConvTranspose",
        &plain().with("strides", vec![3]),
        &[&x, &w],
        &tensor(&[1.0_f32, 10.0, 0.0, 2.0, 20.0], &[1, 1, 5]),
    );
}
