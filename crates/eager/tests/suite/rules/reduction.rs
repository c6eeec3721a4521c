//! Problems of reductions along axes.

use stratal_ops as ops;

use super::problem::{Problem, integers, numbers};

pub(super) fn add_to(problems: &mut Vec<Problem>) {
    for (shape, axes) in SHAPES {
        for keep_dims in [false, true] {
            let operands = || {
                let axes = axes.map(integers);
                [Some(numbers(shape)), axes]
            };
            problems.push(Problem::with_missing(ops::ReduceSum { keep_dims, noop_with_empty_axes: false }, operands()));
            problems
                .push(Problem::with_missing(ops::ReduceMean { keep_dims, noop_with_empty_axes: false }, operands()));
        }
    }
}

/// Shapes and axes that are reduced.
const SHAPES: &[(&[i64], Option<&[i64]>)] = &[
    (&[], None),
    (&[4], None),
    (&[2, 3], Some(&[1])),
    (&[2, 3, 2], Some(&[0, -1])),
    (&[3, 2], Some(&[])),
    (&[2, 0], Some(&[0])),
];
