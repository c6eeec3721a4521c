//! Problems of operators whose elements go where shapes and lists say.

use stratal_kernels::movement::Triangle;
use stratal_ops as ops;
use stratal_ops::{DepthOrder, PadMode};
use stratal_tensor::Tensor;

use super::super::problem::{Problem, integers, numbers, spread_from};

pub(super) fn add_to(problems: &mut Vec<Problem>) {
    reshaped(problems);
    joined(problems);
    repeated(problems);
    padded(problems);
    sliced(problems);
    blocks(problems);
    for (permutation, shape) in [(None, &[][..]), (None, &[2, 3, 2]), (Some(vec![1, -1, 0]), &[2, 0, 3])] {
        problems.push(Problem::new(ops::Transpose { permutation }, [numbers(shape)]));
    }
    problems.push(Problem::new(ops::Transpose { permutation: Some(vec![2, 0, 1]) }, [numbers(&[2, 3, 4])]));
    for triangle in [Triangle::Upper, Triangle::Lower] {
        let diagonal = |diagonal: i64| Tensor::scalar(diagonal).unwrap();
        problems.push(Problem::new(ops::Trilu { triangle }, [numbers(&[3, 4])]));
        problems.push(Problem::new(ops::Trilu { triangle }, [numbers(&[2, 3, 2]), diagonal(1)]));
        problems.push(Problem::new(ops::Trilu { triangle }, [numbers(&[0, 3, 3]), diagonal(-1)]));
    }
    let reverse = |batch_axis, time_axis| ops::ReverseSequence { batch_axis, time_axis };
    problems.push(Problem::new(reverse(1, 0), [numbers(&[3, 2, 2]), integers(&[2, 3])]));
    problems.push(Problem::new(reverse(0, 1), [numbers(&[3, 4]), integers(&[0, 1, 4])]));
}

fn reshaped(problems: &mut Vec<Problem>) {
    for (axis, shape) in [(0, &[][..]), (1, &[2, 3, 2]), (-1, &[2, 3]), (2, &[0, 3])] {
        problems.push(Problem::new(ops::Flatten { axis }, [numbers(shape)]));
    }
    let reshape = |allow_zero| ops::Reshape { allow_zero };
    problems.extend([
        Problem::new(reshape(false), [numbers(&[2, 3, 2]), integers(&[0, -1])]),
        Problem::new(reshape(true), [numbers(&[2, 0]), integers(&[0, 3])]),
        Problem::new(reshape(false), [numbers(&[]), integers(&[1, 1])]),
        Problem::new(ops::Squeeze, [numbers(&[1, 2, 1])]),
        Problem::new(ops::Squeeze, [numbers(&[1, 2, 1]), integers(&[-1])]),
        Problem::new(ops::Unsqueeze, [numbers(&[2, 3]), integers(&[0, -1])]),
        Problem::new(ops::Unsqueeze, [numbers(&[]), integers(&[0])]),
        Problem::new(ops::Expand, [numbers(&[2, 1]), integers(&[3, 1, 4])]),
        Problem::new(ops::Expand, [numbers(&[]), integers(&[2])]),
        Problem::new(ops::Expand, [numbers(&[1, 2]), integers(&[0, 2])]),
    ]);
}

fn joined(problems: &mut Vec<Problem>) {
    let parts = |shapes: &[&[i64]]| -> Vec<Tensor> {
        shapes.iter().enumerate().map(|(part, shape)| spread_from(part, shape, -1.0, 1.0)).collect()
    };
    problems.extend([
        Problem::new(ops::Concat { axis: 0 }, parts(&[&[2], &[3], &[1]])),
        Problem::new(ops::Concat { axis: -1 }, parts(&[&[2, 1], &[2, 3]])),
        Problem::new(ops::Concat { axis: 1 }, parts(&[&[2, 1, 2], &[2, 0, 2], &[2, 2, 2]])),
        Problem::new(ops::Concat { axis: 0 }, parts(&[&[3, 2]])),
        Problem::new(ops::Split { axis: 0, parts: 3 }, [numbers(&[5])]).outputs(3),
        Problem::new(ops::Split { axis: -1, parts: 2 }, [numbers(&[2, 4, 3]), integers(&[1, 2])]).outputs(2),
        Problem::new(ops::Split { axis: 1, parts: 3 }, [numbers(&[2, 4]), integers(&[1, 0, 3])]).outputs(3),
        // Not all are used.
        Problem::new(ops::Split { axis: 1, parts: 3 }, [numbers(&[2, 6])]).outputs(2),
    ]);
}

fn repeated(problems: &mut Vec<Problem>) {
    for (shape, repeats) in [
        (&[][..], &[][..]),
        (&[3], &[2]),
        (&[2, 3], &[3, 2]),
        (&[2, 1, 3], &[1, 2, 1]),
        (&[2, 3], &[0, 2]),
        (&[0, 2], &[2, 2]),
        (&[2, 1, 1, 2, 1], &[2, 1, 2, 2, 2]),
    ] {
        problems.push(Problem::new(ops::Tile, [numbers(shape), integers(repeats)]));
    }
}

fn padded(problems: &mut Vec<Problem>) {
    for mode in [PadMode::Constant, PadMode::Edge, PadMode::Reflect, PadMode::Wrap] {
        for (shape, pads) in [(&[4][..], &[2, 1][..]), (&[3, 4], &[1, -1, 2, 1]), (&[2, 3, 4], &[0, 1, -1, 0, 2, 2])] {
            problems.push(Problem::new(ops::Pad { mode }, [numbers(shape), integers(pads)]));
        }
        let some_axes = [Some(numbers(&[2, 3, 4])), Some(integers(&[2, 1, -1, 1])), None, Some(integers(&[-1, 1]))];
        problems.push(Problem::with_missing(ops::Pad { mode }, some_axes));
    }
    let constant = ops::Pad::default();
    let value = || Tensor::scalar(0.7_f64).unwrap();
    problems.extend([
        Problem::new(constant, [numbers(&[2, 3]), integers(&[1, 0, 0, 2]), value()]),
        Problem::new(constant, [numbers(&[2, 3]), integers(&[-1, 1, 2, -1]), value()]),
        Problem::new(constant, [numbers(&[2, 0]), integers(&[0, 1, 0, 1]), value()]),
        Problem::new(constant, [numbers(&[2, 3]), integers(&[-1, 0, -1, 0]), value()]),
        Problem::new(ops::Pad { mode: PadMode::Edge }, [numbers(&[3]), integers(&[1, 1]), value()]),
    ]);
    for (shape, extents) in [(&[4][..], &[7][..]), (&[5, 4], &[2, 7]), (&[3, 3], &[0, 4])] {
        problems.push(Problem::new(ops::CenterCropPad { axes: None }, [numbers(shape), integers(extents)]));
    }
    let last = ops::CenterCropPad { axes: Some(vec![-1]) };
    problems.push(Problem::new(last, [numbers(&[2, 5]), integers(&[2])]));
}

fn sliced(problems: &mut Vec<Problem>) {
    let lists = |lists: &[&[i64]]| -> Vec<Tensor> { lists.iter().map(|list| integers(list)).collect() };
    let problem =
        |shape: &[i64], bounds: &[&[i64]]| Problem::new(ops::Slice, [numbers(shape)].into_iter().chain(lists(bounds)));
    problems.extend([
        problem(&[5], &[&[1], &[4]]),
        problem(&[3, 4], &[&[0, 1], &[2, -1]]),
        problem(&[2, 5], &[&[-1], &[i64::MIN], &[1], &[-2]]),
        problem(&[5], &[&[-100], &[i64::MIN], &[0], &[-1]]),
        problem(&[3, 4, 5], &[&[1, 4], &[i64::MAX, 0], &[0, -1], &[1, -3]]),
        problem(&[4], &[&[3], &[1]]),
        problem(&[2, 3], &[&[1], &[3], &[-1]]),
    ]);
}

fn blocks(problems: &mut Vec<Problem>) {
    for order in [DepthOrder::PlaceChannel, DepthOrder::ChannelPlace] {
        problems.push(Problem::new(ops::DepthToSpace { block: 2, order }, [numbers(&[2, 8, 1, 2])]));
        problems.push(Problem::new(ops::SpaceToDepth { block: 2, order }, [numbers(&[1, 3, 4, 2])]));
        problems.push(Problem::new(ops::SpaceToDepth { block: 3, order }, [numbers(&[1, 2, 0, 3])]));
    }
    let plain = ops::Col2Im::default();
    let padded = ops::Col2Im { dilations: Some(vec![2, 1]), pads: Some(vec![1, 0, 0, 1]), strides: Some(vec![1, 2]) };
    let line = ops::Col2Im { pads: Some(vec![1, 1]), strides: Some(vec![2]), ..plain.clone() };
    problems.extend([
        Problem::new(plain.clone(), [numbers(&[2, 4, 6]), integers(&[3, 4]), integers(&[2, 2])]),
        Problem::new(padded, [numbers(&[1, 8, 6]), integers(&[4, 4]), integers(&[2, 2])]),
        Problem::new(line, [numbers(&[2, 6, 3]), integers(&[5]), integers(&[3])]),
        Problem::new(plain, [numbers(&[0, 4, 6]), integers(&[3, 4]), integers(&[2, 2])]),
    ]);
}
