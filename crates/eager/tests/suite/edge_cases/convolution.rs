//! Convolutions: the shapes and the places where gradients of other libraries went wrong.

use stratal_eager::{ConvOptions, EagerError, GradientCheck, Var, apply};
use stratal_kernels::pool::AutoPad;
use stratal_ops::{Conv, ConvTranspose, Filter, Sliding, SlidingPadding};
use stratal_tensor::Tensor;
use stratal_tensor::base::DType;

/// Different numbers, as a leaf.
fn numbers(shape: &[i64]) -> Var {
    let count = shape.iter().product::<i64>();
    let elements: Vec<f64> = (1..=count).map(|at| (at as f64 * 0.754_877_666).fract() - 0.5).collect();
    Var::leaf(&elements, shape).unwrap()
}

fn ones(var: &Var) -> Var {
    let extents: Vec<i64> = var.shape().extents().iter().map(|extent| i64::from(*extent)).collect();
    Tensor::ones(&extents, var.dtype()).unwrap().into()
}

fn gradient(output: &Var, of: &Var) -> Vec<f64> {
    of.clear_gradient();
    output.backward_from(&ones(output)).unwrap();
    let gradient = of.gradient().unwrap();
    assert_eq!(gradient.shape(), of.shape());
    gradient.to_vec().unwrap()
}

fn assert_gradients(function: impl Fn(&[Var]) -> Result<Var, EagerError>, inputs: &[Var]) {
    let report = GradientCheck::default().run(|inputs| Ok(vec![function(inputs)?]), inputs).unwrap();
    assert!(report.is_close(), "{report}");
}

#[test]
fn a_tail_that_no_window_reaches_gets_zeros() {
    for (length, kernel, stride) in [(11, 4, 4), (1603, 4, 4), (5, 1, 3), (9, 3, 5), (4, 4, 7)] {
        let (x, weight) = (numbers(&[1, 1, length]), ones(&numbers(&[1, 1, kernel])));
        let options = ConvOptions { strides: [stride], ..ConvOptions::default() };
        let found = gradient(&x.conv1d(&weight, None, options).unwrap(), &x);
        let windows = (length - kernel) / stride + 1;
        let is_seen = |at: i64| at / stride < windows && at % stride < kernel;
        let expected: Vec<f64> = (0..length).map(|at| f64::from(u8::from(is_seen(at)))).collect();
        assert_eq!(found, expected, "length {length}, kernel {kernel}, stride {stride}");
    }
    // As much along each axis of images and volumes.
    let x = numbers(&[1, 1, 4, 4]);
    let options = ConvOptions { strides: [2, 3], ..ConvOptions::default() };
    let found = gradient(&x.conv2d(&ones(&numbers(&[1, 1, 3, 2])), None, options).unwrap(), &x);
    assert_eq!(found, [1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let x = numbers(&[1, 1, 3, 1, 2]);
    let options = ConvOptions { strides: [2, 1, 2], ..ConvOptions::default() };
    let found = gradient(&x.conv3d(&ones(&numbers(&[1, 1, 2, 1, 1])), None, options).unwrap(), &x);
    assert_eq!(found, [1.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
}

#[test]
fn a_part_of_larger_images_has_gradients_within_that_part() {
    let whole = numbers(&[2, 2, 5, 5]);
    let weight = numbers(&[3, 2, 3, 3]);
    let convolved = |inputs: &[Var]| {
        let part = inputs[0].narrow(2, 0, 4)?.narrow(3, 1, 4)?;
        part.conv2d(&inputs[1], None, ConvOptions { strides: [2, 2], ..ConvOptions::default() })
    };
    let found = gradient(&convolved(&[whole.clone(), weight.clone()]).unwrap(), &whole);
    for (at, gradient) in found.iter().enumerate() {
        let (row, column) = (at / 5 % 5, at % 5);
        // One window of three rows and columns, of which the first column is the second of the whole.
        assert_eq!(*gradient != 0.0, row < 3 && (1..4).contains(&column), "row {row}, column {column}");
    }
    assert_gradients(convolved, &[whole, weight]);
}

#[test]
fn transposed_convolutions_of_any_output_padding() {
    for (stride, dilation, output_padding) in [(1, 1, 1), (1, 1, 0), (2, 1, 1), (1, 2, 1), (3, 2, 2), (2, 3, 4)] {
        let sliding = Sliding { strides: vec![stride], dilations: vec![dilation], ..Sliding::default() };
        let filter = Filter { sliding, ..Filter::default() };
        let transposed = ConvTranspose { filter, output_padding: vec![output_padding], ..ConvTranspose::default() };
        let (x, weight) = (numbers(&[1, 2, 4]), numbers(&[2, 1, 3]));
        let spread = |inputs: &[Var]| apply(&transposed, &[Some(&inputs[0]), Some(&inputs[1])]);
        assert_eq!(gradient(&spread(&[x.clone(), weight.clone()]).unwrap(), &x).len(), 8);
        assert_gradients(spread, &[x, weight]);
    }
}

#[test]
fn strides_and_dilations_of_transposed_convolutions_are_not_exchanged() {
    let (x, weight) = (numbers(&[1, 1, 2, 3]), numbers(&[1, 2, 2, 3]));
    let bias = numbers(&[2]);
    for (strides, dilations, padding) in [([2, 1], [1, 1], [0, 0]), ([2, 3], [3, 1], [1, 2]), ([1, 2], [2, 1], [0, 1])]
    {
        let options = ConvOptions { strides, dilations, padding, groups: 1 };
        let spread = |inputs: &[Var]| inputs[0].conv_transpose2d(&inputs[1], Some(&inputs[2]), options, [0, 0]);
        assert_gradients(spread, &[x.clone(), weight.clone(), bias.clone()]);
    }
}

#[test]
fn channels_that_lie_apart_give_the_gradients_of_those_that_do_not() {
    let channels = numbers(&[2, 6, 1, 1]);
    let (apart, weight) = (channels.slice(1, None, None, 2).unwrap(), numbers(&[4, 3, 1, 1]));
    let copy = Var::parameter(apart.tensor().copied().unwrap()).unwrap();
    let of = |x: &Var, weight: &Var| {
        let y = x.conv2d(weight, None, ConvOptions::default()).unwrap();
        (gradient(&y, weight), y.to_vec::<f64>().unwrap())
    };
    assert_eq!(of(&apart, &weight), of(&copy, &weight));
    // Weights whose unit axes have strides of any size, and images that lie channels last.
    let turned = numbers(&[3, 4]).t().unwrap().reshape(&[4, 3, 1, 1]).unwrap();
    let last = numbers(&[2, 3, 2, 3]).permute(&[0, 3, 1, 2]).unwrap();
    let convolved = |inputs: &[Var]| inputs[0].conv2d(&inputs[1], None, ConvOptions::default());
    assert_gradients(convolved, &[last, turned]);
}

#[test]
fn padding_that_follows_from_extents_is_that_of_the_images() {
    for (auto, extent, stride, expected) in [
        (AutoPad::SameUpper, 5, 2, [2.0, 2.0, 3.0, 3.0, 2.0]),
        (AutoPad::SameLower, 5, 2, [2.0, 3.0, 3.0, 2.0, 2.0]),
        (AutoPad::Valid, 5, 1, [1.0, 2.0, 2.0, 2.0, 1.0]),
    ] {
        let kernel = if auto == AutoPad::Valid { 4 } else { 6 };
        let sliding = Sliding { strides: vec![stride], padding: SlidingPadding::Auto(auto), ..Sliding::default() };
        let conv = Conv { filter: Filter { sliding, ..Filter::default() } };
        let x = numbers(&[1, 1, extent]);
        let y = apply(&conv, &[Some(&x), Some(&ones(&numbers(&[1, 1, kernel])))]).unwrap();
        assert_eq!(gradient(&y, &x), expected, "{auto:?}");
    }
}

#[test]
fn sixteen_bits_have_gradients_too() {
    let half = |var: &Var| Var::parameter(var.tensor().cast(DType::F16).unwrap()).unwrap();
    let (x, weight) = (half(&numbers(&[1, 2, 3, 3])), half(&numbers(&[2, 2, 2, 2])));
    let y = x.conv2d(&weight, None, ConvOptions::default()).unwrap();
    let y = y.average_pool2d([2, 2], stratal_eager::PoolOptions::default()).unwrap();
    y.backward_from(&ones(&y)).unwrap();
    assert_eq!(x.gradient().unwrap().dtype(), DType::F16);
    assert_eq!(weight.gradient().unwrap().shape(), weight.shape());
}
