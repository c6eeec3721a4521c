//! Problems of operators that select elements.

use stratal_ops as ops;
use stratal_tensor::Tensor;
use stratal_tensor::base::Bool;

use super::problem::{Problem, integers, numbers};

pub(super) fn add_to(problems: &mut Vec<Problem>) {
    for (is_largest, is_sorted) in [(true, true), (false, true), (true, false)] {
        let top = |axis, shape: &[i64], count: i64| {
            Problem::new(ops::TopK { axis, is_largest, is_sorted }, [numbers(shape), integers(&[count])])
        };
        problems.extend([top(-1, &[2, 5], 3), top(0, &[4, 3], 2), top(0, &[3], 0), top(0, &[3], 3).outputs(2)]);
    }
    let truths = |truths: &[bool]| {
        let truths: Vec<Bool> = truths.iter().map(|&truth| truth.into()).collect();
        Tensor::from_slice(&truths, &[truths.len() as i64]).unwrap()
    };
    for (axis, shape) in [(Some(0), &[3, 2][..]), (Some(-1), &[2, 2, 3]), (None, &[2, 3]), (None, &[1, 1, 3])] {
        let problem = |condition: &[bool]| Problem::new(ops::Compress { axis }, [numbers(shape), truths(condition)]);
        problems.extend([problem(&[true, false, true]), problem(&[false, true]), problem(&[false; 3])]);
    }
    for is_sorted in [false, true] {
        for axis in [None, Some(0), Some(-1)] {
            problems.push(Problem::new(ops::Unique { axis, is_sorted }, [numbers(&[3, 2])]).outputs(4));
        }
        problems.push(Problem::new(ops::Unique { axis: None, is_sorted }, [numbers(&[0])]));
    }
}
