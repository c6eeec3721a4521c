//! Problems of operators whose elements go where indices say.

use stratal_kernels::movement::ScatterReduction;
use stratal_ops as ops;
use stratal_tensor::Tensor;

use super::super::problem::{Problem, integers, numbers, spread, spread_from};

pub(super) fn add_to(problems: &mut Vec<Problem>) {
    gathers(problems);
    scatters(problems);
    caches(problems);
    let (depth, values) = (Tensor::scalar(4_i64).unwrap(), spread(&[2], 0.2, 1.0));
    let one_hot = |axis, indices| Problem::new(ops::OneHot { axis }, [indices, depth.clone(), values.clone()]);
    problems.extend([
        one_hot(-1, integers(&[0, 3, -1, 9])),
        one_hot(0, index(&[2, 3], &[0, 1, 2, 3, -4, 5])),
        one_hot(-1, index(&[0], &[])),
        one_hot(0, spread(&[3], 0.3, 3.9)).constant(0),
    ]);
}

fn index(shape: &[i64], indices: &[i64]) -> Tensor {
    Tensor::from_slice(indices, shape).unwrap()
}

fn gathers(problems: &mut Vec<Problem>) {
    let gather = |axis, shape: &[i64], indices| Problem::new(ops::Gather { axis }, [numbers(shape), indices]);
    problems.extend([
        gather(0, &[4], integers(&[1, 1, 3, -1])),
        gather(0, &[4, 3], index(&[2, 2], &[0, 2, 2, -2])),
        gather(1, &[2, 3, 2], index(&[2, 2], &[0, 2, 2, -2])),
        gather(-1, &[2, 3], index(&[], &[1])),
        gather(0, &[3, 2], index(&[0], &[])),
        gather(1, &[0, 3], integers(&[1, 2])),
        // Long rows, which are added by vectors.
        gather(0, &[2, 40], integers(&[1, 0, 1])),
        gather(0, &[4, 2], Tensor::from_slice(&[1_i32, -1, 1], &[3]).unwrap()),
    ]);
    let elements = |axis, shape: &[i64], indices| Problem::new(ops::GatherElements { axis }, [numbers(shape), indices]);
    problems.extend([
        elements(0, &[3], integers(&[2, 2, -3, 0])),
        elements(1, &[2, 3], index(&[2, 2], &[0, 2, 2, -1])),
        elements(0, &[3, 3], index(&[4, 2], &[0, 1, 2, 0, 0, 0, -1, 1])),
        elements(0, &[3, 2], index(&[0, 2], &[])),
    ]);
    let tuples =
        |batch_axes, shape: &[i64], indices| Problem::new(ops::GatherND { batch_axes }, [numbers(shape), indices]);
    problems.extend([
        tuples(0, &[3, 2], index(&[3, 1], &[-1, 0, 2])),
        tuples(0, &[2, 2, 3], index(&[3, 2], &[0, 1, 1, 0, 0, 1])),
        tuples(1, &[2, 3, 2], index(&[2, 2, 1], &[0, 2, 1, 1])),
        tuples(1, &[2, 3, 2], index(&[2, 2], &[0, 1, -1, 0])),
        tuples(0, &[2, 0], index(&[1, 1], &[0])),
    ]);
}

const REDUCTIONS: [ScatterReduction; 5] = [
    ScatterReduction::None,
    ScatterReduction::Add,
    ScatterReduction::Mul,
    ScatterReduction::Min,
    ScatterReduction::Max,
];

fn scatters(problems: &mut Vec<Problem>) {
    let updates = |shape: &[i64]| spread_from(1, shape, -1.0, 1.0);
    let elements = |axis, shape: &[i64], to: &[i64], indices: &[i64]| {
        let inputs = [numbers(shape), index(to, indices), updates(to)];
        move |reduction| Problem::new(ops::ScatterElements { axis, reduction }, inputs.clone())
    };
    for reduction in REDUCTIONS {
        problems.extend([
            elements(0, &[4], &[3], &[2, 0, -1])(reduction),
            // Some go to one element.
            elements(0, &[4], &[5], &[1, 0, 1, 1, -4])(reduction),
            elements(1, &[2, 3], &[2, 4], &[0, 1, 0, 2, 2, 2, 2, 1])(reduction),
            elements(-2, &[3, 2], &[2, 1], &[1, 1])(reduction),
            elements(0, &[3, 2], &[0, 2], &[])(reduction),
        ]);
        let tuples = |shape: &[i64], indices: Tensor, to: &[i64]| {
            Problem::new(ops::ScatterND { reduction }, [numbers(shape), indices, updates(to)])
        };
        problems.extend([
            tuples(&[4], index(&[3, 1], &[2, 0, -1]), &[3]),
            tuples(&[3, 2], index(&[4, 1], &[1, 0, 1, 1]), &[4, 2]),
            tuples(&[2, 2, 2], index(&[2, 2, 2], &[0, 1, 1, 0, 0, 1, 1, 1]), &[2, 2, 2]),
            tuples(&[2, 2], index(&[0, 2], &[]), &[0]),
        ]);
    }
    for axis in [0, 1] {
        let inputs = [numbers(&[3, 3]), index(&[2, 3], &[1, 0, 1, 1, 2, 1]), updates(&[2, 3])];
        problems.push(Problem::new(ops::Scatter { axis }, inputs));
    }
}

fn caches(problems: &mut Vec<Problem>) {
    let entries = |shape: &[i64]| spread_from(1, shape, -1.0, 1.0);
    let linear = ops::TensorScatter { axis: -2, is_circular: false };
    let circular = ops::TensorScatter { axis: 1, is_circular: true };
    problems.extend([
        Problem::new(linear, [numbers(&[2, 4, 2]), entries(&[2, 2, 2])]),
        Problem::new(linear, [numbers(&[2, 2, 4, 2]), entries(&[2, 2, 3, 2]), integers(&[1, 0])]),
        Problem::new(circular, [numbers(&[2, 4]), entries(&[2, 3]), integers(&[7, 2])]),
        Problem::new(circular, [numbers(&[2, 4, 2]), entries(&[2, 0, 2]), integers(&[1, 2])]),
    ]);
}
