//! Problems of softmax and of normalisations.

use stratal_ops as ops;
use stratal_tensor::Tensor;
use stratal_tensor::base::DType;

use super::problem::{Problem, numbers, spread, spread_from};

pub(super) fn add_to(problems: &mut Vec<Problem>) {
    for (shape, axis) in [(&[4][..], 0), (&[2, 3], 1), (&[2, 3], 0), (&[2, 3, 2], -2), (&[0, 3], 1), (&[2, 0], 1)] {
        problems.push(Problem::new(ops::Softmax { axis }, [numbers(shape)]));
        problems.push(Problem::new(ops::LogSoftmax { axis }, [numbers(shape)]));
        for norm in [ops::Norm::L1, ops::Norm::L2] {
            problems.push(Problem::new(ops::LpNormalization { axis, norm }, [numbers(shape)]));
        }
    }
    for (shape, axis, scale, bias) in LAST_AXES {
        add_last_axes(problems, shape, *axis, [scale, bias]);
    }
    for shape in [&[2, 3][..], &[2, 2, 3], &[0, 3], &[19]] {
        add_skip(problems, shape);
    }
    for shape in [&[4][..], &[4, 2], &[3, 2, 2], &[2, 3, 2, 2], &[2, 0, 2], &[19, 1]] {
        add_batch(problems, shape);
    }
    for shape in [&[2, 2, 3][..], &[1, 2, 2, 2], &[2, 4, 3], &[2, 3], &[0, 2, 2], &[2, 4]] {
        let channels = || spread_from(2, &[shape[1]], 0.5, 2.0);
        let operands = || [numbers(shape), channels(), spread_from(3, &[shape[1]], -1.0, 1.0)];
        problems.push(Problem::new(ops::InstanceNormalization { epsilon: 0.1 }, operands()));
        for num_groups in [1, 2, shape[1]].into_iter().filter(|groups| shape[1] % groups == 0) {
            for stash_dtype in [DType::F32, DType::F64] {
                let operator = ops::GroupNormalization { num_groups, epsilon: 0.1, stash_dtype };
                problems.push(Problem::new(operator, operands()));
            }
        }
    }
    for (shape, axes) in [(&[4][..], &[0][..]), (&[2, 3], &[0]), (&[2, 2, 3], &[0, -1]), (&[3, 0], &[0])] {
        problems.push(Problem::new(ops::MeanVarianceNormalization { axes: axes.to_vec() }, [numbers(shape)]));
    }
    for (size, shape) in
        [(1, &[2, 3][..]), (3, &[1, 4, 2]), (2, &[2, 3, 1]), (4, &[1, 5]), (9, &[1, 3, 2]), (3, &[0, 3])]
    {
        problems.push(Problem::new(ops::LRN { size, alpha: 0.9, beta: 0.75, bias: 1.5 }, [numbers(shape)]));
    }
}

/// Normalisations over the last axes, with statistics of f64, which have gradients of their own.
fn add_last_axes(problems: &mut Vec<Problem>, shape: &[i64], axis: i64, [scale, bias]: [&[i64]; 2]) {
    let (epsilon, stash_dtype) = (0.05, DType::F64);
    let x = || numbers(shape);
    let (scale, bias) = (|| spread_from(2, scale, 0.5, 2.0), || spread_from(3, bias, -1.0, 1.0));
    let layer = ops::LayerNormalization { axis, epsilon, stash_dtype };
    for count in 1..=3 {
        problems.push(Problem::new(layer, [x(), scale(), bias()]).outputs(count));
    }
    problems.push(Problem::new(ops::LayerNormalization { stash_dtype: DType::F32, ..layer }, [x(), scale()]));
    problems.push(Problem::new(ops::RMSNormalization { axis, epsilon, stash_dtype }, [x(), scale()]));
    for count in 1..=2 {
        let simplified = ops::SimplifiedLayerNormalization { axis, epsilon, stash_dtype };
        problems.push(Problem::new(simplified, [x(), scale()]).outputs(count));
    }
}

/// Normalisations of sums, with inputs left out. Their statistics are f32, too rough for central differences.
fn add_skip(problems: &mut Vec<Problem>, shape: &[i64]) {
    let row = &shape[shape.len() - 1..];
    let skips = [shape, row];
    for skip in skips {
        let x = || Some(numbers(shape));
        let (skip, scale) = (|| Some(spread_from(1, skip, -1.0, 1.0)), || Some(spread_from(2, row, 0.5, 2.0)));
        let offset = || Some(spread_from(3, row, -1.0, 1.0));
        let bias = || Some(spread_from(4, row, -1.0, 1.0));
        let centred = ops::SkipLayerNormalization { epsilon: 0.05 };
        problems.push(Problem::with_missing(centred, [x(), skip(), scale()]));
        problems.push(Problem::with_missing(centred, [x(), skip(), scale(), offset(), bias()]));
        problems.push(Problem::with_missing(centred, [x(), skip(), scale(), None, bias()]));
        let other = ops::SkipSimplifiedLayerNormalization { epsilon: 0.05 };
        problems.push(Problem::with_missing(other, [x(), skip(), scale()]));
        problems.push(Problem::with_missing(other, [x(), skip(), scale(), bias()]));
    }
}

fn add_batch(problems: &mut Vec<Problem>, shape: &[i64]) {
    let channels = &[shape.get(1).copied().unwrap_or(1)];
    let operands = || -> [Tensor; 5] {
        [
            numbers(shape),
            spread_from(1, channels, 0.5, 2.0),
            spread_from(2, channels, -1.0, 1.0),
            spread_from(3, channels, -1.0, 1.0),
            spread(channels, 0.5, 2.0),
        ]
    };
    let given = ops::BatchNormalization { epsilon: 0.05, momentum: 0.75, training_mode: false };
    problems.push(Problem::new(given, operands()));
    let training = ops::BatchNormalization { training_mode: true, ..given };
    problems.push(Problem::new(training, operands()));
    problems.push(Problem::new(training, operands()).outputs(2));
    problems.push(Problem::new(training, operands()).outputs(3));
}

/// Shapes, the first axis of a row, and the shapes of scale and bias.
type LastAxes = (&'static [i64], i64, &'static [i64], &'static [i64]);

const LAST_AXES: &[LastAxes] = &[
    (&[4], 0, &[4], &[1]),
    (&[2, 3], -1, &[3], &[3]),
    (&[2, 3], 0, &[], &[2, 1]),
    (&[2, 2, 3], -2, &[2, 3], &[3]),
    (&[3, 2, 1], 1, &[3, 2, 1], &[2, 1]),
    (&[0, 3], 1, &[3], &[3]),
    (&[1, 19], 1, &[19], &[19]),
];
