//! Problems of operators that work element by element.

use stratal_ops as ops;
use stratal_ops::GeluApproximation;
use stratal_tensor::Tensor;
use stratal_tensor::base::{Bool, DType};

use super::problem::{Problem, integers, numbers, spread, spread_from};

pub(super) fn add_to(problems: &mut Vec<Problem>) {
    unary(problems);
    binary(problems);
    variadic(problems);
    with_slopes(problems);
    clip(problems);
    dropout(problems);
    pow(problems);
    select(problems);
}

/// Operators of one operand, where they are smooth.
fn unary(problems: &mut Vec<Problem>) {
    for shape in [&[][..], &[0], &[5], &[2, 3], &[2, 1, 3]] {
        let operand = || [numbers(shape)];
        let positive = || [spread(shape, 0.3, 2.0)];
        let within_one = || [spread(shape, -0.9, 0.9)];
        let above_one = || [spread(shape, 1.2, 3.0)];
        problems.extend([
            Problem::new(ops::Abs, operand()),
            Problem::new(ops::Acos, within_one()),
            Problem::new(ops::Acosh, above_one()),
            Problem::new(ops::Asin, within_one()),
            Problem::new(ops::Asinh, operand()),
            Problem::new(ops::Atan, operand()),
            Problem::new(ops::Atanh, within_one()),
            Problem::new(ops::Cast { to: DType::F64 }, operand()),
            Problem::new(ops::CastLike, [numbers(shape), numbers(&[2])]),
            Problem::new(ops::Ceil, operand()),
            Problem::new(ops::Cos, operand()),
            Problem::new(ops::Cosh, operand()),
            Problem::new(ops::Erf, operand()),
            Problem::new(ops::Exp, operand()),
            Problem::new(ops::Floor, operand()),
            Problem::new(ops::Identity, operand()),
            Problem::new(ops::Log, positive()),
            Problem::new(ops::Neg, operand()),
            Problem::new(ops::Reciprocal, positive()),
            Problem::new(ops::Round, operand()),
            Problem::new(ops::Sigmoid, operand()),
            Problem::new(ops::Sign, operand()),
            Problem::new(ops::Sin, operand()),
            Problem::new(ops::Sinh, operand()),
            Problem::new(ops::Softplus, operand()),
            Problem::new(ops::Softsign, operand()),
            Problem::new(ops::Sqrt, positive()),
            Problem::new(ops::Tan, operand()),
            Problem::new(ops::Tanh, operand()),
        ]);
        for_attributes(problems, shape);
    }
}

/// Activations, by their attributes: over all of their pieces, and away from the kinks between them.
fn for_attributes(problems: &mut Vec<Problem>, shape: &[i64]) {
    let mut add = |operator: &dyn Fn() -> Problem| problems.push(operator());
    let wide = || [spread(shape, -4.3, 4.1)];
    add(&|| Problem::new(ops::Relu, wide()));
    add(&|| Problem::new(ops::HardSwish, wide()));
    add(&|| Problem::new(ops::Mish, wide()));
    add(&|| Problem::new(ops::MicrosoftGelu, wide()));
    for alpha in [0.3, 1.0, 2.5] {
        add(&|| Problem::new(ops::Celu { alpha }, wide()));
        add(&|| Problem::new(ops::Elu { alpha }, wide()));
        add(&|| Problem::new(ops::LeakyRelu { alpha }, wide()));
        add(&|| Problem::new(ops::QuickGelu { alpha }, wide()));
        add(&|| Problem::new(ops::Swish { alpha }, wide()));
        add(&|| Problem::new(ops::Selu { alpha, gamma: 1.05 }, wide()));
        add(&|| Problem::new(ops::ThresholdedRelu { threshold: alpha }, wide()));
        add(&|| Problem::new(ops::HardSigmoid { alpha: alpha / 5.0, beta: 0.6 }, wide()));
        add(&|| Problem::new(ops::Shrink { bias: alpha, threshold: 1.1 }, wide()));
    }
    add(&|| Problem::new(ops::LeakyRelu { alpha: 0.0 }, wide()));
    add(&|| Problem::new(ops::LeakyRelu { alpha: -0.5 }, wide()));
    add(&|| Problem::new(ops::Swish { alpha: -1.0 }, wide()));
    for approximation in [GeluApproximation::None, GeluApproximation::Tanh] {
        add(&|| Problem::new(ops::Gelu { approximation }, wide()));
    }
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

fn binary(problems: &mut Vec<Problem>) {
    for (a, b) in SHAPES {
        let operands = || [numbers(a), spread_from(1, b, 0.5, 2.0)];
        problems.extend([
            Problem::new(ops::Add, operands()),
            Problem::new(ops::Div, operands()),
            Problem::new(ops::Mul, operands()),
            Problem::new(ops::Sub, operands()),
        ]);
        // Far from the multiples of the divisors, between which results jump.
        let dividends = || spread(a, -3.3, -3.1);
        for truncated in [false, true] {
            problems.push(Problem::new(ops::Mod { truncated }, [dividends(), spread_from(1, b, 0.81, 0.99)]));
            problems.push(Problem::new(ops::Mod { truncated }, [dividends(), spread_from(1, b, -0.99, -0.81)]));
        }
    }
    for shape in [&[][..], &[0], &[5], &[2, 3]] {
        for alpha in [1.0, 1.7] {
            let gate = ops::Swish { alpha };
            problems
                .push(Problem::new(ops::SwiGlu { gate }, [spread(shape, -4.0, 4.0), spread_from(1, shape, -1.0, 2.0)]));
        }
    }
}

fn variadic(problems: &mut Vec<Problem>) {
    const OPERANDS: &[&[&[i64]]] = &[
        &[&[]],
        &[&[4]],
        &[&[2, 3], &[3]],
        &[&[2, 1], &[1, 3], &[]],
        &[&[3], &[2, 1, 3], &[1], &[2, 3, 1]],
        &[&[2, 0], &[1], &[2, 1]],
    ];
    for shapes in OPERANDS {
        let operands = || shapes.iter().enumerate().map(|(operand, shape)| spread_from(operand, shape, -1.0, 1.0));
        problems.extend([
            Problem::new(ops::Max, operands()),
            Problem::new(ops::Mean, operands()),
            Problem::new(ops::Min, operands()),
            Problem::new(ops::Sum, operands()),
        ]);
    }
}

/// Operators whose second operand broadcasts to the first one: a slope, or a bias.
fn with_slopes(problems: &mut Vec<Problem>) {
    const OPERANDS: &[(&[i64], &[i64])] =
        &[(&[], &[]), (&[4], &[4]), (&[2, 3], &[3]), (&[2, 3, 2], &[3, 1]), (&[5], &[1]), (&[3], &[]), (&[0, 2], &[2])];
    for (x, second) in OPERANDS {
        let operands = || [spread(x, -3.0, 3.1), spread_from(1, second, -0.5, 1.5)];
        problems.extend([
            Problem::new(ops::BiasGelu, operands()),
            Problem::new(ops::FastGelu, operands()),
            Problem::new(ops::FastGelu, [spread(x, -3.0, 3.1)]),
            Problem::new(ops::PRelu, operands()),
        ]);
    }
}

fn clip(problems: &mut Vec<Problem>) {
    let limit = |value: f64, extents: &[i64]| Some(Tensor::full(extents, value, DType::F64).unwrap());
    for shape in [&[][..], &[0], &[6], &[2, 3]] {
        let x = || Some(spread(shape, -2.0, 2.0));
        for limits in [
            [None, None],
            [limit(-0.7, &[]), None],
            [None, limit(0.4, &[1])],
            [limit(-0.7, &[1]), limit(0.4, &[])],
            // Crossed: the upper one wins.
            [limit(0.5, &[]), limit(-0.6, &[])],
            [limit(-0.7, &[1, 1, 1]), limit(f64::INFINITY, &[])],
        ] {
            let infinite = limits.iter().position(|limit| {
                limit
                    .as_ref()
                    .is_some_and(|limit| limit.to_vec::<f64>().unwrap().iter().any(|limit| limit.is_infinite()))
            });
            let [low, high] = limits;
            let problem = Problem::with_missing(ops::Clip, [x(), low, high]);
            problems.push(match infinite {
                Some(limit) => problem.constant(limit + 1),
                None => problem,
            });
        }
    }
}

fn dropout(problems: &mut Vec<Problem>) {
    let truth = |truth: Bool| Some(Tensor::scalar(truth).unwrap());
    let ratio = |ratio: f64| Some(Tensor::scalar(ratio).unwrap());
    for shape in [&[][..], &[0], &[20], &[3, 4]] {
        for (ratio, training) in [
            (None, None),
            (ratio(0.3), None),
            (ratio(0.3), truth(Bool::FALSE)),
            (ratio(0.3), truth(Bool::TRUE)),
            (None, truth(Bool::TRUE)),
            (ratio(0.0), truth(Bool::TRUE)),
        ] {
            let inputs = [Some(numbers(shape)), ratio, training];
            let dropout = ops::Dropout { seed: Some(7) };
            problems.push(Problem::with_missing(dropout, inputs.clone()).constant(1));
            problems.push(Problem::with_missing(dropout, inputs).outputs(2).constant(1));
        }
    }
}

fn pow(problems: &mut Vec<Problem>) {
    for (base, exponent) in SHAPES {
        let exponents = || spread_from(1, exponent, -1.5, 2.5);
        problems.push(Problem::new(ops::Pow, [spread(base, 0.4, 2.0), exponents()]));
        // Exponents that do not change, of bases with a sign.
        let whole = Tensor::full(exponent, 3.0, DType::F64).unwrap();
        problems.push(Problem::new(ops::Pow, [numbers(base), whole]).constant(1));
    }
    for number in [-2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 0.5] {
        let exponent = Tensor::scalar(number).unwrap();
        problems.push(Problem::new(ops::Pow, [spread(&[2, 3], 0.4, 2.0), exponent]).constant(1));
    }
    for base in [&[4][..], &[2, 4]] {
        problems.push(Problem::new(ops::Pow, [numbers(base), integers(&[0, 1, 2, 3])]));
        let unsigned = Tensor::from_slice(&[0_u8, 1, 2, 3], &[4]).unwrap();
        problems.push(Problem::new(ops::Pow, [numbers(base), unsigned]));
    }
}

fn select(problems: &mut Vec<Problem>) {
    let condition = Tensor::from_slice(&[Bool::TRUE, Bool::FALSE, Bool::TRUE], &[3]).unwrap();
    problems.push(Problem::new(ops::Where, [condition.clone(), numbers(&[2, 3]), numbers(&[1])]));
    problems.push(Problem::new(ops::Where, [condition, numbers(&[3]), numbers(&[3])]));
}
