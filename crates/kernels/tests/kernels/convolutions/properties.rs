//! Any convolution, any strides, any epilogue: every strategy on every backend.

use proptest::prelude::*;
use stratal_kernels::convolution::{Convolution, ConvolutionAxis, TransposedConvolution};
use stratal_kernels::map::{LeakyRelu, Relu, Unary};
use stratal_kernels::{Epilogue, Precision};
use stratal_tensor_base::{DType, Scalar, Shape};

use super::model::{BY_PRECISION, Number, Posed, Problem, array_of, scalars, transposed};
use crate::EMULATED;
use crate::array::Array;
use crate::place::{Place, in_order, row_major};
use crate::runner::compare;
use crate::values::{Generator, mixed};

/// Extent, kernel and how it moves along an axis, such that there is an output.
fn axis() -> impl Strategy<Value = (i64, i64, ConvolutionAxis)> {
    (prop_oneof![6 => 1..6_i64, 3 => 6..24_i64, 1 => 24..80_i64], 1..5_i64, 1..4_i64, 1..3_i64, 0..4_i64, 0..4_i64)
        .prop_map(|(extent, kernel, stride, dilation, pad_begin, pad_end)| {
            let reach = (kernel - 1) * dilation + 1;
            let extent = extent.max(reach - pad_begin - pad_end);
            (extent, kernel, ConvolutionAxis { stride, dilation, pad_begin, pad_end })
        })
}

pub(crate) fn problem() -> impl Strategy<Value = Problem> {
    let axes = proptest::collection::vec(axis(), 1..4).prop_map(|mut axes| {
        // Small in all, and a kernel of one element now and then.
        if axes.len() == 3 {
            for axis in &mut axes {
                axis.0 = axis.0.min(5).max((axis.1 - 1) * axis.2.dilation + 1);
            }
        }
        axes
    });
    let channels = prop_oneof![5 => 1..5_i64, 2 => 5..20_i64, 1 => 30..40_i64];
    let outputs = prop_oneof![5 => 1..4_i64, 2 => 4..20_i64];
    (axes, 1..3_i64, 1..4_i64, channels, outputs, any::<bool>()).prop_map(
        |(axes, batch, groups, channels, outputs, is_pointwise)| {
            let is_pointwise = is_pointwise && axes.len() == 2;
            let axis = |(extent, kernel, axis): &(i64, i64, ConvolutionAxis)| match is_pointwise {
                true => (*extent, 1, ConvolutionAxis::default()),
                false => (*extent, *kernel, *axis),
            };
            let axes: Vec<_> = axes.iter().map(axis).collect();
            let groups = if is_pointwise { 1 } else { groups };
            let (mut images, mut weights) = (vec![batch, channels * groups], vec![outputs * groups, channels]);
            images.extend(axes.iter().map(|(extent, ..)| *extent));
            weights.extend(axes.iter().map(|(_, kernel, _)| *kernel));
            let axes = axes.into_iter().map(|(.., axis)| axis).collect();
            Problem { convolution: Convolution { axes, groups: groups as usize, strategy: None }, images, weights }
        },
    )
}

/// A way to lie: by channels, by positions, some other order, with gaps; of operands also reversed.
pub(crate) fn place(extents: &[i64], way: usize, is_operand: bool) -> Place {
    let rank = extents.len();
    let interleaved: Vec<usize> = [0].into_iter().chain(2..rank).chain([1]).collect();
    let reversed: Vec<usize> = (0..rank).rev().collect();
    let mut strides = match way % 5 {
        0 => row_major(extents),
        1 => in_order(extents, &interleaved, 1),
        2 => in_order(extents, &reversed, 1),
        3 => in_order(extents, &(0..rank).collect::<Vec<_>>(), 2),
        _ => row_major(extents),
    };
    if way % 5 == 4 && is_operand {
        strides[rank - 1] *= -1;
        strides[0] = 0;
    }
    Place::new(extents, &strides, 1)
}

pub(crate) fn small(problem: &Problem) -> bool {
    let terms: i64 = problem.weights[1..].iter().product();
    problem.output().iter().product::<i64>() * terms < 40_000
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if EMULATED { 12 } else { 350 }))]

    #[test]
    fn any_convolution(
        problem in problem().prop_filter("small", small),
        dtype in prop_oneof![4 => Just(DType::F32), 1 => Just(DType::F64), 1 => Just(DType::F16), 1 => Just(DType::BF16)],
        ways in (0..5_usize, 0..5_usize, 0..4_usize),
        (alpha, beta) in prop_oneof![3 => Just((1.0, 0.0)), 1 => Just((0.5, 1.0)), 1 => Just((1.0, -0.25))],
        has_bias in any::<bool>(),
        activation in 0..4_usize,
        is_special in 0..5_usize,
        seed in any::<u64>(),
    ) {
        let mut generator = Generator(seed);
        let output = problem.output();
        let places = [place(&problem.images, ways.0, true), place(&problem.weights, ways.1, true)];
        let result = place(&output, ways.2, false);
        let fill = |place: &Place, generator: &mut Generator| match is_special {
            0 => mixed(dtype, place.buffer, generator),
            _ => ordinary(dtype, place.buffer, generator),
        };
        let [x, weights] = places.each_ref().map(|place| fill(place, &mut generator));
        let mut bias_extents = vec![1; output.len() - 1];
        bias_extents[0] = output[1];
        let bias_place = Place::dense(&bias_extents, 1);
        let bias = ordinary(dtype, bias_place.buffer, &mut generator);
        let leaky = LeakyRelu { alpha: 0.1 };
        let activation: Option<&dyn Unary> = match activation { 0 => Some(&Relu), 1 => Some(&leaky), _ => None };
        Posed {
            problem: &problem,
            x: (&x, &places[0]),
            weights: (&weights, &places[1]),
            bias: has_bias.then_some((&bias, &bias_place)),
            result: &result,
            alpha,
            beta,
            activation,
        }.check();
    }

    #[test]
    fn any_transposed_convolution(
        problem in problem().prop_filter("small", small),
        dtype in prop_oneof![3 => Just(DType::F32), 1 => Just(DType::F64), 1 => Just(DType::F16)],
        ways in (0..5_usize, 0..5_usize, 0..4_usize),
        output_padding in proptest::collection::vec(0..3_i64, 3),
        seed in any::<u64>(),
    ) {
        let mut generator = Generator(seed);
        let axes = problem.convolution.axes.clone();
        let (images, kernel) = (problem.output(), problem.weights.clone());
        let convolution = TransposedConvolution {
            output_padding: output_padding[..axes.len()].to_vec(), axes, groups: problem.convolution.groups,
        };
        let shape = |extents: &[i64]| Shape::new(extents).unwrap();
        let Ok(output) = convolution.output_shape(&shape(&images), &shape(&kernel)) else { return Ok(()) };
        let output: Vec<i64> = output.extents().iter().map(|extent| i64::from(*extent)).collect();
        let places = [place(&images, ways.0, true), place(&kernel, ways.1, true)];
        let target = place(&output, ways.2, false);
        let [x, weights] = places.each_ref().map(|place| ordinary(dtype, place.buffer, &mut generator));
        let lists = (scalars(&x, &places[0]), scalars(&weights, &places[1]));
        let (x_list, weight_list) = ((&images[..], &lists.0[..]), (&kernel[..], &lists.1[..]));
        let sums: Vec<Scalar> = match dtype {
            DType::F64 => transposed::<f64>(&convolution, x_list, weight_list, &output).into_iter().map(|sum| sum.rounded(dtype)).collect(),
            _ => transposed::<f32>(&convolution, x_list, weight_list, &output).into_iter().map(|sum| sum.rounded(dtype)).collect(),
        };
        let mut fast = Array::canary(dtype, target.buffer);
        fast.scatter(&target.positions(), &array_of(dtype, &sums));
        let run = |kernels: &dyn stratal_kernels::Kernels| {
            let mut found = Array::canary(dtype, target.buffer);
            let (x, weights) = (x.view(&places[0]), weights.view(&places[1]));
            kernels.convolve_transposed(&convolution, &x, &weights, &Epilogue::default(), &mut found.view_mut(&target)).unwrap();
            found
        };
        let exact = run(&*BY_PRECISION.last().unwrap().1);
        for (precision, kernels) in BY_PRECISION.iter() {
            let expected = if *precision == Precision::Fast { &fast } else { &exact };
            compare(&run(&**kernels), expected, &target.positions(), false, || format!("{convolution:?} of {images:?} by {kernel:?} on {kernels:?}"));
        }
    }
}

/// Eighths between -8 and 8.
pub(crate) fn ordinary(dtype: DType, count: usize, generator: &mut Generator) -> Array {
    let numbers: Vec<Scalar> = (0..count)
        .map(|_| {
            let number = (generator.below(129) as f32 - 64.0) / 8.0;
            stratal_tensor_base::match_dtype!(dtype, T => stratal_tensor_base::cast::<f32, T>(number).into())
        })
        .collect();
    array_of(dtype, &numbers)
}
