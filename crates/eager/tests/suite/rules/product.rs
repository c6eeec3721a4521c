//! Problems of products of matrices.

use stratal_ops as ops;

use super::problem::{Problem, numbers, spread_from};

pub(super) fn add_to(problems: &mut Vec<Problem>) {
    for (a, b) in MATRICES {
        problems.push(Problem::new(ops::MatMul, [numbers(a), spread_from(1, b, -1.0, 1.0)]));
    }
}

/// Pairs of matrices and batches of them.
const MATRICES: &[(&[i64], &[i64])] = &[
    (&[2, 3], &[3, 4]),
    (&[3], &[3]),
    (&[3], &[3, 2]),
    (&[2, 3], &[3]),
    (&[2, 2, 3], &[3, 2]),
    (&[2, 1, 2, 3], &[3, 3, 2]),
    (&[3], &[2, 3, 2]),
    (&[2, 2, 3], &[3]),
    (&[2, 0], &[0, 3]),
    (&[0, 2], &[2, 3]),
];
