//! Problems of operators that work element by element.

use stratal_ops as ops;

use stratal_tensor::Tensor;
use stratal_tensor::base::Bool;

use super::problem::{Problem, numbers, spread, spread_from};

pub(super) fn add_to(problems: &mut Vec<Problem>) {
    for (a, b) in SHAPES {
        let operands = || [numbers(a), spread_from(1, b, 0.5, 2.0)];
        problems.extend([
            Problem::new(ops::Add, operands()),
            Problem::new(ops::Div, operands()),
            Problem::new(ops::Mul, operands()),
            Problem::new(ops::Sub, operands()),
        ]);
    }
    for shape in [&[][..], &[0], &[5], &[2, 3], &[2, 1, 3]] {
        let operand = || [numbers(shape)];
        let positive = || [spread(shape, 0.3, 2.0)];
        problems.extend([
            Problem::new(ops::Cast { to: stratal_tensor::base::DType::F64 }, operand()),
            Problem::new(ops::Cos, operand()),
            Problem::new(ops::Exp, operand()),
            Problem::new(ops::Log, positive()),
            Problem::new(ops::Neg, operand()),
            Problem::new(ops::Reciprocal, positive()),
            Problem::new(ops::Sigmoid, operand()),
            Problem::new(ops::Sin, operand()),
            Problem::new(ops::Sqrt, positive()),
            Problem::new(ops::Tanh, operand()),
        ]);
    }
    let condition = Tensor::from_slice(&[Bool::TRUE, Bool::FALSE, Bool::TRUE], &[3]).unwrap();
    problems.push(Problem::new(ops::Where, [condition.clone(), numbers(&[2, 3]), numbers(&[1])]));
    problems.push(Problem::new(ops::Where, [condition, numbers(&[3]), numbers(&[3])]));
}

/// Pairs that broadcast.
const SHAPES: &[(&[i64], &[i64])] = &[
    (&[], &[]),
    (&[3], &[3]),
    (&[2, 3], &[3]),
    (&[2, 1], &[1, 3]),
    (&[3], &[2, 1, 3]),
    (&[], &[2, 2]),
    (&[2, 0], &[1]),
    (&[1, 1], &[4]),
];
