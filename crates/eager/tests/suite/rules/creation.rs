//! Problems of operators that make tensors.

use stratal_ops as ops;
use stratal_tensor::Tensor;

use super::problem::{Problem, numbers};

pub(super) fn add_to(problems: &mut Vec<Problem>) {
    for shape in [&[2, 3][..], &[0, 2], &[3, 3]] {
        problems.push(Problem::new(ops::EyeLike { dtype: None, diagonal: 1 }, [numbers(shape)]));
    }
    for shape in [&[][..], &[0], &[2, 3]] {
        let seed = Some(3);
        problems.extend([
            Problem::new(ops::RandomNormalLike { dtype: None, mean: 0.0, deviation: 1.0, seed }, [numbers(shape)]),
            Problem::new(ops::RandomUniformLike { dtype: None, low: 0.0, high: 1.0, seed }, [numbers(shape)]),
        ]);
    }
    // The limit lies between two elements; the last range is empty.
    for [start, limit, step] in [[0.5, 3.1, 0.7], [2.0, -1.3, -0.8], [1.0, 0.0, 0.5]] {
        let operand = |value: f64, extents: &[i64]| Tensor::from_slice(&[value], extents).unwrap();
        problems.push(Problem::new(ops::Range, [operand(start, &[]), operand(limit, &[]), operand(step, &[])]));
        problems.push(Problem::new(ops::Range, [operand(start, &[1]), operand(limit, &[]), operand(step, &[1, 1])]));
    }
}
