//! Where products went wrong elsewhere: old results that were read, sums of nothing, zeros that were skipped, tails.

use stratal_kernels::map::{Relu, Tanh};
use stratal_kernels::{Epilogue, Precision, Selection, Threads};
use stratal_tensor_base::DType;

use super::model::rounded;
use super::problem::{DTYPES, KERNELS, Problem, Values, check};
use crate::EMULATED;
use crate::array::Array;
use crate::place::{Place, in_order};
use crate::values::{Generator, is_nan};

const FLOATS: [DType; 4] = [DType::F32, DType::F64, DType::F16, DType::BF16];

/// A number of a dtype.
fn pattern(dtype: DType, value: f64) -> u64 {
    if dtype.is_float() { rounded(dtype, value) } else { value as i64 as u64 }
}

fn filled(array: &Array, value: f64) -> Array {
    Array::new(array.dtype, vec![pattern(array.dtype, value); array.count()])
}

/// A problem of numbers in rows, without gaps.
fn of_numbers(dtype: DType, a: (&[i64], &[f64]), b: (&[i64], &[f64])) -> Problem {
    let mut problem = Problem::new(dtype, a.0, b.0, 0);
    for ((array, place), numbers) in [(&mut problem.a, a.1), (&mut problem.b, b.1)] {
        let positions = place.positions();
        array.scatter(&positions, &Array::new(dtype, numbers.iter().map(|number| pattern(dtype, *number))));
    }
    problem
}

/// Checks a problem, and that certain numbers are what is expected, exact and fast.
fn check_numbers(problem: &Problem, expected: &[f64]) {
    let dtype = problem.dtype();
    let expected = Array::new(dtype, expected.iter().map(|number| pattern(dtype, *number)));
    for precision in [Precision::Exact, Precision::Fast] {
        assert_eq!(problem.expected(precision), expected, "{precision:?} {problem:?}");
    }
    check(problem);
}

/// The results of all orders.
fn results(extents: &[i64]) -> [Place; 3] {
    let rank = extents.len();
    let rows: Vec<usize> = (0..rank).collect();
    let mut columns = rows.clone();
    columns.swap(rank - 2, rank - 1);
    [(&rows, 1), (&columns, 1), (&rows, 2)].map(|(order, step)| Place::new(extents, &in_order(extents, order, step), 1))
}

#[test]
fn an_old_result_is_not_read_without_a_factor() {
    let sizes: &[[i64; 3]] =
        &[[20, 20, 20], [1, 20, 20], [20, 20, 1], [13, 20, 17], [1, 300, 31], [15, 300, 70], [127, 3, 33], [3, 0, 5]];
    for dtype in FLOATS {
        for [m, k, n] in sizes.iter().copied() {
            let mut problem = Problem::new(dtype, &[m, k], &[k, n], 0);
            (problem.a.0, problem.b.0) = (filled(&problem.a.0, 1.0), filled(&problem.b.0, 1.0));
            problem.before = filled(&problem.before, f64::NAN);
            for result in results(&[m, n]) {
                for beta in [0.0, -0.0] {
                    let problem = Problem { result: result.clone(), beta, ..problem.clone() };
                    check_numbers(&problem, &vec![k as f64; (m * n) as usize]);
                }
            }
        }
    }
}

#[test]
fn an_old_result_is_read_with_a_factor() {
    for dtype in FLOATS {
        for result in results(&[15, 33]) {
            let mut problem = Problem { result, beta: 1.0, ..Problem::new(dtype, &[15, 4], &[4, 33], 0) };
            problem.before.set(100, pattern(dtype, f64::NAN));
            let nans = |precision| problem.expected(precision).patterns().filter(|one| is_nan(dtype, *one)).count();
            assert_eq!([nans(Precision::Exact), nans(Precision::Fast)], [1, 1]);
            check(&problem);
        }
    }
}

/// Factors, old results, biases of every shape and an activation, each rounded in its turn.
#[test]
fn all_that_is_made_of_a_product_in_its_order() {
    for dtype in FLOATS {
        for [m, k, n] in [[3, 20, 19], [14, 270, 65]] {
            for result in results(&[m, n]) {
                for bias in [&[m, n][..], &[n], &[m, 1], &[]] {
                    let problem = Problem::new(dtype, &[m, k], &[k, n], 3).with_bias(bias);
                    let result = result.clone();
                    check(&Problem { alpha: -1.7, beta: -0.3, activation: Some(&Tanh), result, ..problem });
                }
            }
        }
    }
}

#[test]
fn a_sum_of_nothing_is_zero_and_takes_a_bias() {
    for dtype in DTYPES {
        let problem = of_numbers(dtype, (&[2, 0], &[]), (&[0, 3], &[]));
        check_numbers(&problem, &[0.0; 6]);
        let place = Place::dense(&[2, 1], 0);
        let column = Array::new(dtype, [1.0, 2.0, 9.0, 9.0, 9.0].map(|number| pattern(dtype, number)));
        let problem = Problem { bias: Some((column, place)), ..problem };
        check_numbers(&problem, &[1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
        for bias in [&[5, 1][..], &[7], &[1, 1], &[3, 1, 7], &[]] {
            for result in results(&[3, 5, 7]) {
                let problem = Problem::new(dtype, &[3, 5, 0], &[0, 7], 1).with_bias(bias);
                check(&Problem { result: result.clone(), ..problem.clone() });
                check(&Problem { result, beta: 1.0, activation: Some(&Relu), ..problem });
            }
        }
    }
    check(&Problem { alpha: f32::INFINITY, ..Problem::new(DType::F32, &[5, 0], &[0, 7], 1) });
}

#[test]
fn products_without_elements() {
    for dtype in DTYPES {
        for (a, b) in [
            (&[0, 3][..], &[3, 4][..]),
            (&[2, 3], &[3, 0]),
            (&[0, 0], &[0, 0]),
            (&[0, 2, 3], &[3, 4]),
            (&[2, 3], &[0, 3, 4]),
            (&[0, 1, 2, 3], &[5, 3, 4]),
            (&[2, 0, 3], &[2, 3, 4]),
        ] {
            let problem = Problem::new(dtype, a, b, 1);
            check(&problem.clone().with_bias(&[1]));
            check(&Problem { beta: 1.0, activation: Some(&Relu), ..problem });
        }
    }
}

/// One row, one column, and one of both, at depths around a block.
#[test]
fn rows_and_columns_alone() {
    for dtype in DTYPES {
        let (depths, others): (&[i64], &[i64]) = match (EMULATED, dtype) {
            (true, _) => (&[3, 257], &[1, 17]),
            (false, DType::F32 | DType::F16) => {
                (&[1, 2, 15, 16, 17, 255, 256, 257, 511, 512, 513], &[1, 2, 15, 16, 17, 31, 33, 65])
            }
            (false, _) => (&[1, 17, 256, 257], &[1, 16, 33]),
        };
        for k in depths.iter().copied() {
            for n in others.iter().copied() {
                for [m, n] in [[1, n], [n, 1]] {
                    let problem = Problem::new(dtype, &[m, k], &[k, n], 1);
                    let result = Place::new(&[m, n], &[2 * n, 2], 1);
                    check(&problem);
                    check(&Problem { result, ..problem });
                }
            }
        }
    }
}

/// Depth in reverse, with elements before the last row: what would come next is no place, and is not asked for.
#[test]
fn sides_in_reverse() {
    for dtype in [DType::F32, DType::F16, DType::I64] {
        for before in [1, 4, 20, 39] {
            let mut problem = Problem::new(dtype, &[40, 12], &[12, 40], 2);
            let a = Place::new(&[40, 12], &[1, -40], before);
            let b = Place::new(&[12, 40], &[-40, 1], before);
            problem.a = (Values::Plain.of(dtype, a.buffer, &mut Generator(3)), a);
            problem.b = (Values::Plain.of(dtype, b.buffer, &mut Generator(4)), b);
            check(&problem);
        }
    }
}

/// Both sides, where they can be read in place, and where they have to be packed.
fn both_ways(problem: &Problem) -> [Problem; 2] {
    let [a, b] = [&problem.a, &problem.b].map(|(array, place)| {
        let exchanged = Place::new(&place.extents, &in_order(&place.extents, &[1, 0], 1), 1);
        let mut moved = Array::canary(array.dtype, exchanged.buffer);
        moved.scatter(&exchanged.positions(), &array.gather(&place.positions()));
        (moved, exchanged)
    });
    [problem.clone(), Problem { a, b, ..problem.clone() }]
}

/// Checks a problem with one element of a side replaced, which makes a row or a column NaN, and nothing else.
fn check_one(problem: &Problem, is_left: bool, [row, column]: [i64; 2], value: f64) {
    let mut problem = problem.clone();
    let dtype = problem.dtype();
    let (array, place) = if is_left { &mut problem.a } else { &mut problem.b };
    let position = (place.offset + row * place.extents[1] + column) as usize;
    array.set(position, pattern(dtype, value));
    let [m, n] = [problem.result.extents[0], problem.result.extents[1]];
    for precision in [Precision::Exact, Precision::Fast] {
        for (index, found) in problem.expected(precision).patterns().enumerate() {
            let should = if is_left { index as i64 / n == row } else { index as i64 % n == column };
            assert_eq!(is_nan(dtype, found), should, "{index} of {m} {n}");
        }
    }
    both_ways(&problem).iter().for_each(check);
}

/// Zero times infinity is NaN at every index of depth and in every lane.
#[test]
fn zeros_are_not_skipped() {
    for (dtype, [m, k, n]) in [(DType::F32, [3, 260, 17]), (DType::F64, [14, 19, 19]), (DType::F16, [13, 17, 18])] {
        let random = Problem::new(dtype, &[m, k], &[k, n], 1);
        let [mut zero_on_the_left, mut zero_on_the_right] = [random.clone(), random];
        zero_on_the_left.a.0 = filled(&zero_on_the_left.a.0, 0.0);
        zero_on_the_right.b.0 = filled(&zero_on_the_right.b.0, -0.0);
        let step = if EMULATED { 53 } else { 1 };
        for depth in (0..k).step_by(step) {
            check_one(&zero_on_the_left, false, [depth, depth * 11 % n], f64::INFINITY);
            check_one(&zero_on_the_right, true, [depth * 5 % m, depth], f64::NEG_INFINITY);
        }
    }
}

/// NaN at every position of sides that end in tails of rows, columns and depth.
#[test]
fn nan_reaches_all_it_should_and_no_more() {
    let step = if EMULATED { 31 } else { 1 };
    for (dtype, [m, k, n]) in [(DType::F32, [17, 5, 37]), (DType::F64, [15, 3, 19]), (DType::BF16, [7, 2, 17])] {
        let problem = Problem::new(dtype, &[m, k], &[k, n], 1);
        for index in (0..m * k).step_by(step) {
            check_one(&problem, true, [index / k, index % k], f64::NAN);
        }
        for index in (0..k * n).step_by(step) {
            check_one(&problem, false, [index / n, index % n], f64::NAN);
        }
    }
}

/// Sums begin at +0, so the only way to a negative zero is a factor or an activation.
#[test]
fn zeros_of_both_signs() {
    for dtype in FLOATS {
        for depth in [1, 2, 256, 257, 513] {
            let zeros = vec![-0.0; depth as usize];
            let ones = vec![1.0; depth as usize];
            let problem = of_numbers(dtype, (&[1, depth], &zeros), (&[depth, 1], &ones));
            check_numbers(&problem, &[0.0]);
            check_numbers(&Problem { alpha: -1.0, ..problem.clone() }, &[-0.0]);
            let before = filled(&problem.before, -0.0);
            check_numbers(&Problem { beta: 1.0, before: before.clone(), ..problem.clone() }, &[0.0]);
            let bias = Some((Array::new(dtype, [pattern(dtype, -0.0)]), Place { buffer: 1, ..Place::dense(&[], 0) }));
            check_numbers(&Problem { alpha: -1.0, beta: 1.0, before, bias, ..problem }, &[-0.0]);
        }
    }
}

/// Sums of 16-bit floats have more range and digits than their elements.
#[test]
fn sixteen_bits_are_summed_in_more() {
    let a = [300.0, -300.0, 1.0, 2048.0, 1.0, 1.0, -2048.0];
    let b = [300.0, 300.0, 1.0, 1.0, 1.0, 1.0, 1.0];
    check_numbers(&of_numbers(DType::F16, (&[1, 7], &a), (&[7, 1], &b)), &[3.0]);
    check_numbers(&of_numbers(DType::BF16, (&[1, 7], &a), (&[7, 1], &b)), &[3.0]);
}

/// What differs between exact and fast: fused and not, one sum and several, f64 and f32.
#[test]
fn exact_and_fast_differ_where_they_should() {
    let both = |problem: &Problem, [exact, fast]: [f64; 2]| {
        check(problem);
        for (precision, value) in [(Precision::Exact, exact), (Precision::Fast, fast)] {
            let found = problem.expected(precision).get(0);
            assert_eq!(found, pattern(problem.dtype(), value), "{precision:?} {problem:?}");
        }
    };
    // A square whose last digit is lost, unless it is added at once.
    let near = 1.0 + 2_f64.powi(-30);
    let square = of_numbers(DType::F64, (&[1, 2], &[1.0, near]), (&[2, 1], &[-1.0 - 2_f64.powi(-29), near]));
    both(&square, [0.0, 2_f64.powi(-60)]);
    // Sums beyond the largest f32, and the largest f64.
    let large = |dtype, size| of_numbers(dtype, (&[1, 3], &[size, size, -size]), (&[3, 1], &[1.0; 3]));
    both(&large(DType::F32, 3e38), [f64::from(3e38_f32), f64::INFINITY]);
    both(&large(DType::F64, 1e308), [f64::INFINITY, f64::INFINITY]);
    // A large term in the first block, and small ones in the second.
    let (mut terms, ones) = (vec![2_f64.powi(-24); 257], vec![1.0; 257]);
    terms[0] = 1.0;
    let blocks = of_numbers(DType::F32, (&[1, 257], &terms), (&[257, 1], &ones));
    both(&blocks, [1.0 + 2_f64.powi(-16), 1.0]);
    terms.extend([2_f64.powi(-24); 1]);
    let blocks = of_numbers(DType::F32, (&[1, 258], &terms), (&[258, 1], &[1.0; 258]));
    both(&blocks, [f64::from((1.0 + 257.0 * 2_f64.powi(-24)) as f32), 1.0 + 2_f64.powi(-23)]);
}

/// Integers wrap, of each sign and width.
#[test]
fn integers_wrap() {
    for (dtype, a, b, expected) in [
        (DType::I32, [i32::MIN as u32 as u64, 3], [2, 5], 15_u64),
        (DType::U32, [u64::from(u32::MAX), 1], [u64::from(u32::MAX), 7], 8),
        (DType::I64, [i64::MIN as u64, u64::MAX], [u64::MAX, 5], (i64::MIN as u64).wrapping_sub(5)),
        (DType::U64, [u64::MAX, 1 << 33], [u64::MAX, 1 << 33], 1),
    ] {
        let mut problem = Problem::new(dtype, &[1, 2], &[2, 1], 0);
        problem.a.0.scatter(&problem.a.1.positions(), &Array::new(dtype, a));
        problem.b.0.scatter(&problem.b.1.positions(), &Array::new(dtype, b));
        assert_eq!(problem.expected(Precision::Fast), Array::new(dtype, [expected]));
        check(&problem);
    }
    assert!(KERNELS.len() > 2);
}

/// One right side for so many matrices that a copy for each would be beyond the limits of shapes.
#[test]
fn a_single_side_does_not_count_for_each_matrix() {
    if EMULATED {
        return;
    }
    let (batch, depth, columns) = (65_536, 128, 256);
    let kernels = Selection::new().threads(Threads::calling()).kernels().unwrap();
    let a = Array::of(&vec![1.0_f32; (batch * depth) as usize]);
    let b = Array::of(&(0..depth * columns).map(|index| (index % columns) as f32).collect::<Vec<_>>());
    let dense = |extents: &[i64]| {
        let place = Place::dense(extents, 0);
        Place { buffer: place.count(), ..place }
    };
    let result = dense(&[batch, 1, columns]);
    let mut found = Array::canary(DType::F32, result.buffer);
    let (a, b) = (a.view(&dense(&[batch, 1, depth])), b.view(&dense(&[depth, columns])));
    kernels.matmul(&a, &b, &Epilogue::default(), &mut found.view_mut(&result)).unwrap();
    let found = found.to_vec::<f32>();
    assert!(found.iter().enumerate().all(|(index, x)| *x == (128 * (index % 256)) as f32));
}
