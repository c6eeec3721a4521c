//! Problems of reductions along axes.

use stratal_ops as ops;
use stratal_tensor::Tensor;

use super::problem::{Problem, integers, numbers, spread};

pub(super) fn add_to(problems: &mut Vec<Problem>) {
    for (shape, axes) in SHAPES {
        let axes = axes.map(integers);
        for keep_dims in [false, true] {
            add_reductions(problems, shape, &axes, (keep_dims, false));
        }
        if axes.as_ref().is_none_or(|axes| axes.count() == 0) {
            add_reductions(problems, shape, &axes, (true, true));
        }
    }
    for (exclusive, reverse) in [(false, false), (false, true), (true, false), (true, true)] {
        for (shape, axis) in [(&[4][..], 0), (&[1], 0), (&[3, 2], -2), (&[2, 3, 2], 1), (&[2, 0], 1), (&[0, 2], 1)] {
            let axis = Tensor::scalar(axis).unwrap();
            problems.push(Problem::new(ops::CumSum { exclusive, reverse }, [numbers(shape), axis.clone()]));
            problems.push(Problem::new(ops::CumProd { exclusive, reverse }, [numbers(shape), axis]));
        }
        let zeros = Tensor::from_slice(&[2.0_f64, 0.0, 3.0, -1.0, 0.0, 0.5, 0.0, 0.0], &[2, 4]).unwrap();
        problems.push(Problem::new(ops::CumProd { exclusive, reverse }, [zeros, Tensor::scalar(1).unwrap()]));
    }
    for shape in [&[1, 1][..], &[2, 2], &[3, 3], &[2, 3, 3], &[0, 2, 2], &[2, 0, 0], &[2, 1, 4, 4]] {
        problems.push(Problem::new(ops::Det, [numbers(shape)]));
    }
    let singular = Tensor::from_slice(&[1.0_f64, 2.0, 3.0, 2.0, 4.0, 6.0, -1.0, 0.5, 1.0], &[3, 3]).unwrap();
    problems.push(Problem::new(ops::Det, [singular]));
    problems.push(Problem::new(ops::Det, [Tensor::from_slice(&[0.0_f64; 9], &[3, 3]).unwrap()]));
}

/// A problem of each reduction.
fn add_reductions(
    problems: &mut Vec<Problem>,
    shape: &[i64],
    axes: &Option<Tensor>,
    (keep_dims, noop_with_empty_axes): (bool, bool),
) {
    let of = |x: Tensor| [Some(x), axes.clone()];
    let any = || of(numbers(shape));
    let positive = || of(spread(shape, 0.3, 2.0));
    problems.extend([
        Problem::with_missing(ops::ReduceL1 { keep_dims, noop_with_empty_axes }, any()),
        Problem::with_missing(ops::ReduceL2 { keep_dims, noop_with_empty_axes }, any()),
        Problem::with_missing(ops::ReduceLogSum { keep_dims, noop_with_empty_axes }, positive()),
        Problem::with_missing(ops::ReduceLogSumExp { keep_dims, noop_with_empty_axes }, any()),
        Problem::with_missing(ops::ReduceMax { keep_dims, noop_with_empty_axes }, any()),
        Problem::with_missing(ops::ReduceMean { keep_dims, noop_with_empty_axes }, any()),
        Problem::with_missing(ops::ReduceMin { keep_dims, noop_with_empty_axes }, any()),
        Problem::with_missing(ops::ReduceProd { keep_dims, noop_with_empty_axes }, any()),
        Problem::with_missing(ops::ReduceSum { keep_dims, noop_with_empty_axes }, any()),
        Problem::with_missing(ops::ReduceSumSquare { keep_dims, noop_with_empty_axes }, any()),
    ]);
}

/// Shapes and axes that are reduced.
const SHAPES: &[(&[i64], Option<&[i64]>)] = &[
    (&[], None),
    (&[4], None),
    (&[2, 3], Some(&[1])),
    (&[2, 3], Some(&[0])),
    (&[2, 3, 2], Some(&[0, -1])),
    (&[2, 1, 2], Some(&[1])),
    (&[3, 2], Some(&[])),
    (&[2, 0], Some(&[0])),
    (&[2, 0], Some(&[1])),
];
