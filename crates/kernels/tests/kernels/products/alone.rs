//! A row has the same bits alone, among others, in a larger matrix and in a batch; and so has a column.

use stratal_kernels::Precision;
use stratal_tensor_base::DType;

use super::problem::{KERNELS, Problem};
use crate::EMULATED;
use crate::array::Array;
use crate::place::Place;

const ROWS: [i64; 8] = [1, 2, 5, 12, 13, 64, 127, 300];

/// Operands of which others see parts.
fn large(dtype: DType) -> (Problem, [i64; 3]) {
    let [m, k, n] = if EMULATED { [40, 300, 35] } else { [300, 300, 75] };
    (Problem::new(dtype, &[m, k], &[k, n], 9), [m, k, n])
}

/// All elements of a result, in order of the index.
fn elements(problem: &Problem, found: &Array) -> Array {
    found.gather(&problem.result.positions())
}

/// The same problem with operands seen otherwise.
fn seen(problem: &Problem, a: Place, b: Place, extents: &[i64]) -> Problem {
    let result = Place::dense(extents, 2);
    let before = Array::canary(problem.dtype(), result.count());
    Problem { a: (problem.a.0.clone(), a), b: (problem.b.0.clone(), b), result, before, ..problem.clone() }
}

#[test]
fn rows_alone_and_among_others() {
    for dtype in [DType::F32, DType::F64, DType::F16] {
        let (whole, [m, k, n]) = large(dtype);
        let (a, b) = (&whole.a.1, &whole.b.1);
        for kernels in KERNELS.iter().filter(|kernels| kernels.precision() == Precision::Fast) {
            let expected = elements(&whole, &whole.run(&**kernels, None));
            let packed = kernels.pack_matrix(&whole.b.0.view(b)).unwrap();
            for rows in ROWS.into_iter().filter(|rows| *rows < m) {
                for first in [0, (m - rows) / 2, m - rows] {
                    let some = Place { extents: vec![rows, k], offset: a.offset + first * k, ..a.clone() };
                    let part = seen(&whole, some, b.clone(), &[rows, n]);
                    let positions: Vec<usize> = ((first * n) as usize..((first + rows) * n) as usize).collect();
                    let expected = expected.gather(&positions);
                    let context = || format!("rows {first}.. on {kernels:?}");
                    part.compare(&part.run(&**kernels, None), &expected, context);
                    part.compare(&part.run(&**kernels, Some(&packed)), &expected, context);
                }
            }
        }
    }
}

#[test]
fn columns_alone_and_among_others() {
    for dtype in [DType::F32, DType::BF16] {
        let (whole, [m, k, n]) = large(dtype);
        let (a, b) = (&whole.a.1, &whole.b.1);
        for kernels in KERNELS.iter().filter(|kernels| kernels.precision() == Precision::Fast) {
            let expected = elements(&whole, &whole.run(&**kernels, None));
            for columns in [1, 2, 15, 16, 17, 33] {
                for first in [0, 1, n - columns] {
                    let some = Place { extents: vec![k, columns], offset: b.offset + first, ..b.clone() };
                    let part = seen(&whole, a.clone(), some, &[m, columns]);
                    let within = |row: i64| (0..columns).map(move |column| (row * n + first + column) as usize);
                    let expected = expected.gather(&(0..m).flat_map(within).collect::<Vec<_>>());
                    part.compare(&part.run(&**kernels, None), &expected, || {
                        format!("columns {first}.. on {kernels:?}")
                    });
                }
            }
        }
    }
}

/// The rows of a matrix, as matrices of a batch of all divisions.
#[test]
fn matrices_in_batches() {
    for dtype in [DType::F32, DType::F64] {
        let (whole, [m, k, n]) = large(dtype);
        let (a, b) = (&whole.a.1, &whole.b.1);
        for kernels in KERNELS.iter().filter(|kernels| kernels.precision() == Precision::Fast) {
            let expected = elements(&whole, &whole.run(&**kernels, None));
            for matrices in [1, 2, 5, m / 2, m] {
                let rows = m / matrices;
                let stacked = Place { extents: vec![matrices, rows, k], strides: vec![rows * k, k, 1], ..a.clone() };
                let found = seen(&whole, stacked.clone(), b.clone(), &[matrices, rows, n]);
                let context = || format!("{matrices} matrices on {kernels:?}");
                found.compare(&found.run(&**kernels, None), &expected, context);
                // A right side for each: all columns but the last, and all but the first.
                let twice = Place { extents: vec![2, rows, k], strides: vec![0, k, 1], ..a.clone() };
                let each = Place { extents: vec![2, k, n - 1], strides: vec![1, n, 1], ..b.clone() };
                let found = seen(&whole, twice, each, &[2, rows, n - 1]);
                let place = |matrix: i64, row: i64| (0..n - 1).map(move |column| (row * n + column + matrix) as usize);
                let positions = (0..2).flat_map(|matrix| (0..rows).flat_map(move |row| place(matrix, row)));
                let expected = expected.gather(&positions.collect::<Vec<_>>());
                found.compare(&found.run(&**kernels, None), &expected, context);
            }
        }
    }
}
