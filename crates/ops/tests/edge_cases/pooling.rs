//! Windows that hang over the edge, lie outside, or hold nothing but negative infinity.

use stratal_ops::Attributes;
use stratal_tensor_base::DType;

use crate::every_way::{FLOATS, SIGNED, gives, is_same, numbers, plain, run, tensor, typed};

const INFINITY: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

fn windows(kernel: &[i64]) -> Attributes {
    plain().with("kernel_shape", kernel.to_vec())
}

#[test]
fn averages_count_padding_but_nothing_behind_it() {
    let attributes = windows(&[3, 3]).with("strides", vec![2, 2]).with("pads", vec![1; 4]).with("ceil_mode", 1);
    let elements: Vec<_> = (1..=16).map(f64::from).collect();
    for dtype in FLOATS {
        let x = typed(dtype, &elements, &[1, 1, 4, 4]);
        let with_padding = [14.0 / 9.0, 30.0 / 9.0, 2.0, 57.0 / 9.0, 11.0, 6.0, 4.5, 7.5, 4.0];
        let expected = typed(dtype, &with_padding, &[1, 1, 3, 3]);
        gives("AveragePool", &attributes.clone().with("count_include_pad", 1), &[&x], &expected);
        let without = typed(dtype, &[3.5, 5.0, 6.0, 9.5, 11.0, 12.0, 13.5, 15.0, 16.0], &[1, 1, 3, 3]);
        gives("AveragePool", &attributes, &[&x], &without);
        let largest = typed(dtype, &[6.0, 8.0, 8.0, 14.0, 16.0, 16.0, 14.0, 16.0, 16.0], &[1, 1, 3, 3]);
        gives("MaxPool", &attributes, &[&x], &largest);
    }
}

#[test]
fn windows_wholly_outside_are_not_there() {
    let attributes = windows(&[3, 3]).with("strides", vec![3, 4]).with("ceil_mode", 1);
    for dtype in FLOATS {
        // Negative ones, so that a padding of zeros would win.
        for value in [1.0, -1.0] {
            let (x, expected) = (typed(dtype, &[value; 64], &[1, 1, 8, 8]), typed(dtype, &[value; 6], &[1, 1, 3, 2]));
            gives("AveragePool", &attributes, &[&x], &expected);
            gives("MaxPool", &attributes, &[&x], &expected);
            let counted = attributes.clone().with("count_include_pad", 1);
            gives("AveragePool", &counted, &[&x], &expected);
        }
        let x = typed(dtype, &[1.0; 64], &[1, 1, 8, 8]);
        let norms = typed(dtype, &[9.0, 9.0, 9.0, 9.0, 6.0, 6.0], &[1, 1, 3, 2]);
        gives("LpPool", &attributes.clone().with("p", 1), &[&x], &norms);
        // What would begin in the padding behind the image is not there either.
        let padded = windows(&[2]).with("strides", vec![3]).with("pads", vec![0, 1]).with("ceil_mode", 1);
        gives(
            "MaxPool",
            &padded,
            &[&typed(dtype, &[-1.0, -2.0, -3.0], &[1, 1, 3])],
            &typed(dtype, &[-1.0], &[1, 1, 1]),
        );
    }
}

#[test]
fn windows_of_negative_infinity_have_a_place() {
    for dtype in FLOATS {
        let pooled = |attributes: &Attributes, x: &[f64], extents: &[i64], expected: &[f64], places: &[i64]| {
            let outputs = run("MaxPool", attributes, &[&typed(dtype, x, extents)]);
            let computed = numbers(&outputs[0]);
            let is_right = computed.iter().zip(expected).all(|(a, b)| a == b || a.is_nan() && b.is_nan());
            assert!(is_right && computed.len() == expected.len(), "{computed:?}, not {expected:?}");
            assert_eq!(outputs[1].to_vec::<i64>().unwrap(), places);
        };
        pooled(&windows(&[2, 2]), &[-INFINITY; 4], &[1, 1, 2, 2], &[-INFINITY], &[0]);
        // The first element within the image, of each window and each image.
        let padded = windows(&[2, 2]).with("pads", vec![1; 4]);
        pooled(&padded, &[-INFINITY; 4], &[1, 1, 2, 2], &[-INFINITY; 9], &[0, 0, 1, 0, 0, 1, 2, 2, 3]);
        pooled(&windows(&[2, 2]), &[-INFINITY; 8], &[1, 2, 2, 2], &[-INFINITY; 2], &[0, 4]);
        pooled(&windows(&[3]), &[-INFINITY, -INFINITY, NAN, NAN, 5.0], &[1, 1, 5], &[NAN; 3], &[2, 2, 2]);
        pooled(&windows(&[2]), &[1.0, 1.0, 0.0], &[1, 1, 3], &[1.0, 1.0], &[0, 1]);
        let dilated = windows(&[2]).with("dilations", vec![2]).with("pads", vec![1, 1]);
        pooled(&dilated, &[-INFINITY; 3], &[1, 1, 3], &[-INFINITY; 3], &[1, 0, 1]);
    }
    for dtype in SIGNED {
        let least = -((8 * dtype.size() - 1) as f64).exp2();
        let outputs =
            run("MaxPool", &windows(&[2, 2]).with("pads", vec![1; 4]), &[&typed(dtype, &[least; 4], &[1, 1, 2, 2])]);
        assert!(is_same(&outputs[0], &typed(dtype, &[least; 9], &[1, 1, 3, 3])));
        assert_eq!(outputs[1].to_vec::<i64>().unwrap(), [0, 0, 1, 0, 0, 1, 2, 2, 3]);
    }
}

#[test]
fn nan_wins_in_every_window() {
    for place in 0..9 {
        let mut elements = [1.0_f32; 9];
        elements[place] = f32::NAN;
        let x = tensor(&elements, &[1, 1, 3, 3]);
        let nan = tensor(&[f32::NAN], &[1, 1, 1, 1]);
        gives("MaxPool", &windows(&[3, 3]), &[&x], &nan);
        gives("AveragePool", &windows(&[3, 3]), &[&x], &nan);
        gives("GlobalMaxPool", &plain(), &[&x], &nan);
    }
}

#[test]
fn steps_and_dilations_are_one_if_nothing_is_said() {
    for dtype in FLOATS {
        let elements: Vec<_> = (0..12).map(f64::from).collect();
        let x = typed(dtype, &elements, &[1, 1, 3, 4]);
        gives("MaxPool", &windows(&[2, 2]), &[&x], &typed(dtype, &[5.0, 6.0, 7.0, 9.0, 10.0, 11.0], &[1, 1, 2, 3]));
        gives("AveragePool", &windows(&[2, 2]), &[&x], &typed(dtype, &[2.5, 3.5, 4.5, 6.5, 7.5, 8.5], &[1, 1, 2, 3]));
    }
    let x = tensor(&[0_i8, 1, 2, 3, 4, 5, 6, 7], &[1, 1, 2, 2, 2]);
    gives("MaxPool", &windows(&[1, 2, 1]), &[&x], &tensor(&[2_i8, 3, 6, 7], &[1, 1, 2, 1, 2]));
}

#[test]
fn the_odd_element_of_padding_is_on_the_side_that_is_named() {
    for dtype in [DType::F32, DType::F64] {
        let x = typed(dtype, &[1.0, 5.0, 2.0, 3.0, 4.0], &[1, 1, 5]);
        let padded = |side: &str, kernel: i64| windows(&[kernel]).with("auto_pad", side);
        gives("MaxPool", &padded("SAME_LOWER", 2), &[&x], &typed(dtype, &[1.0, 5.0, 5.0, 3.0, 4.0], &[1, 1, 5]));
        gives("MaxPool", &padded("SAME_UPPER", 2), &[&x], &typed(dtype, &[5.0, 5.0, 3.0, 4.0, 4.0], &[1, 1, 5]));
        // No padding is less than none.
        let far = padded("SAME_UPPER", 1).with("strides", vec![3]);
        gives("MaxPool", &far, &[&x], &typed(dtype, &[1.0, 3.0], &[1, 1, 2]));
        gives("AveragePool", &far, &[&x], &typed(dtype, &[1.0, 3.0], &[1, 1, 2]));
    }
}
