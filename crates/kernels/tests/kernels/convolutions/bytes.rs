//! Convolutions of bytes: every backend against sums of differences, exact in f64.

use proptest::prelude::*;
use stratal_kernels::convolution::{Convolution, ConvolutionAxis};
use stratal_kernels::{AnyView, ZeroPoints};
use stratal_tensor_base::{DType, Scalar};

use super::model::{BY_PRECISION, Problem, scalars};
use super::properties::{place, problem, small};
use crate::EMULATED;
use crate::array::Array;
use crate::place::Place;
use crate::values::{Generator, mixed};

/// The sums of differences, wrapped to i32.
fn expected(problem: &Problem, x: &[i64], weights: &[i64]) -> Vec<i32> {
    let list = |numbers: &[i64]| numbers.iter().map(|number| Scalar::from(*number as f64)).collect::<Vec<_>>();
    problem.sums::<f64>(&list(x), &list(weights)).into_iter().map(|sum| sum as i64 as i32).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if EMULATED { 12 } else { 200 }))]

    #[test]
    fn any_convolution_of_bytes(
        problem in problem().prop_filter("small", small),
        (x_signed, weights_signed) in any::<(bool, bool)>(),
        ways in (0..5_usize, 0..5_usize, 0..4_usize),
        (has_zero_x, zero_weights) in (any::<bool>(), 0..3_usize),
        seed in any::<u64>(),
    ) {
        let mut generator = Generator(seed);
        let dtype = |signed: bool| if signed { DType::I8 } else { DType::U8 };
        let (x_dtype, weight_dtype) = (dtype(x_signed), dtype(weights_signed));
        let places = [place(&problem.images, ways.0, true), place(&problem.weights, ways.1, true)];
        let x = mixed(x_dtype, places[0].buffer, &mut generator);
        let weights = mixed(weight_dtype, places[1].buffer, &mut generator);
        let zero_x = mixed(x_dtype, 1, &mut generator);
        let outputs = problem.weights[0];
        let mut extents = vec![1; problem.weights.len() - 1];
        extents[0] = if zero_weights == 2 { outputs } else { 1 };
        let zero_place = Place { buffer: extents[0] as usize, ..Place::dense(&extents, 0) };
        let zeros = mixed(weight_dtype, zero_place.buffer, &mut generator);
        let numbers = |array: &Array, place: &Place| scalars(array, place).into_iter().map(Scalar::cast::<i64>).collect::<Vec<_>>();

        let of_x = if has_zero_x { numbers(&zero_x, &Place { buffer: 1, ..Place::dense(&[1], 0) })[0] } else { 0 };
        let of_weights = numbers(&zeros, &zero_place);
        let x_numbers: Vec<i64> = numbers(&x, &places[0]).into_iter().map(|number| number - of_x).collect();
        let per_output = problem.weights[1..].iter().product::<i64>() as usize;
        let weight_numbers: Vec<i64> = numbers(&weights, &places[1]).into_iter().enumerate().map(|(index, number)| match zero_weights {
            0 => number,
            _ => number - of_weights[index / per_output % of_weights.len()],
        }).collect();
        let wanted = expected(&problem, &x_numbers, &weight_numbers);

        let target = place(&problem.output(), ways.2, false);
        let mut whole = Array::canary(DType::I32, target.buffer);
        whole.scatter(&target.positions(), &Array::of(&wanted));
        let (zero_x, zeros) = (zero_x.row(), zeros.view(&zero_place));
        let a: Option<&AnyView<'_>> = has_zero_x.then_some(&zero_x);
        let b: Option<&AnyView<'_>> = (zero_weights > 0).then_some(&zeros);
        for (_, kernels) in BY_PRECISION.iter() {
            let mut found = Array::canary(DType::I32, target.buffer);
            let (x, weights) = (x.view(&places[0]), weights.view(&places[1]));
            let points = ZeroPoints { a, b };
            kernels.convolve_integer(&problem.convolution, &x, &weights, &points, &mut found.view_mut(&target)).unwrap();
            prop_assert_eq!(&found, &whole, "{:?} on {:?}", &problem, kernels);
        }
    }
}

/// Each output channel is its own group with a zero point of its own.
#[test]
fn zero_points_belong_to_their_channel() {
    let convolution = Convolution { groups: 2, ..Convolution::new(vec![ConvolutionAxis::default()]) };
    let (x, weights, zeros) = (Array::of(&[1_u8, 10]), Array::of(&[5_u8; 4]), Array::of(&[1_u8, 2, 3, 4]));
    let place =
        |extents: &[i64]| Place { buffer: extents.iter().product::<i64>() as usize, ..Place::dense(extents, 0) };
    for (_, kernels) in BY_PRECISION.iter() {
        let mut found = Array::canary(DType::I32, 4);
        let (x, weights) = (x.view(&place(&[1, 2, 1])), weights.view(&place(&[4, 1, 1])));
        let zeros = zeros.view(&place(&[4, 1]));
        let points = ZeroPoints { a: None, b: Some(&zeros) };
        kernels.convolve_integer(&convolution, &x, &weights, &points, &mut found.view_mut(&place(&[1, 4, 1]))).unwrap();
        assert_eq!(found.to_vec::<i32>(), [4, 3, 20, 10], "{kernels:?}");
    }
}
