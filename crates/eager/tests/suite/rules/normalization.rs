//! Problems of softmax and of normalisations.

use stratal_ops as ops;

use super::problem::{Problem, numbers};

pub(super) fn add_to(problems: &mut Vec<Problem>) {
    for (shape, axis) in [(&[4][..], 0), (&[2, 3], 1), (&[2, 3], 0), (&[2, 3, 2], -2), (&[0, 3], 1)] {
        problems.push(Problem::new(ops::Softmax { axis }, [numbers(shape)]));
    }
}
