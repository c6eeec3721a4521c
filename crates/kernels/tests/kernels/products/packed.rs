//! A right side that is packed before: the same bits, whoever packed it and wherever it is used.

use std::thread;

use stratal_kernels::Precision;
use stratal_tensor_base::{DType, Shape};

use super::problem::{DTYPES, KERNELS, Problem, Values};
use crate::EMULATED;
use crate::array::Array;
use crate::place::{Place, in_order};
use crate::values::Generator;

#[test]
fn packed_by_each_used_by_all() {
    for dtype in DTYPES {
        let sizes: &[[i64; 3]] = match (EMULATED, dtype) {
            (true, _) => &[[3, 40, 19]],
            (false, DType::F32 | DType::BF16) => &[[3, 40, 19], [1, 300, 33], [14, 513, 16], [13, 257, 530], [2, 3, 0]],
            (false, _) => &[[1, 1, 1], [3, 40, 19], [3, 300, 17], [2, 0, 5], [0, 4, 3]],
        };
        for (seed, [m, k, n]) in sizes.iter().enumerate() {
            let problem = Problem::new(dtype, &[*m, *k], &[*k, *n], seed as u64).with_bias(&[*n]);
            let [exact, fast] = [Precision::Exact, Precision::Fast].map(|precision| problem.expected(precision));
            for packer in KERNELS.iter() {
                let packed = packer.pack_matrix(&problem.b.0.view(&problem.b.1)).unwrap();
                for kernels in KERNELS.iter() {
                    let expected = if kernels.precision() == Precision::Exact { &exact } else { &fast };
                    let found = problem.run(&**kernels, Some(&packed));
                    problem.compare(&found, expected, || format!("{kernels:?}, packed by {packer:?}"));
                }
            }
        }
    }
}

/// Batches whose matrices lie one behind the other, or not, in results of every order.
#[test]
fn batches_times_one_packed_matrix() {
    let (extents, results) = ([3, 2, 5, 30], [3, 2, 5, 37]);
    let orders = [[0, 1, 2, 3], [1, 0, 2, 3], [0, 1, 3, 2], [3, 2, 1, 0], [0, 2, 1, 3]];
    for dtype in DTYPES {
        for (number, order) in orders.iter().enumerate() {
            let mut problem = Problem::new(dtype, &extents, &[30, 37], 3).with_bias(&[2, 1, 37]);
            let place = Place::new(&extents, &in_order(&extents, order, 1), 0);
            problem.a = (Values::Plain.of(dtype, place.buffer, &mut Generator(4)), place);
            problem.result = Place::new(&results, &in_order(&results, &orders[(number + 2) % 5], 1), 1);
            problem.beta = 1.0;
            super::problem::check(&problem);
        }
    }
}

#[test]
fn layouts_of_what_is_packed() {
    let (depth, columns) = (259, 21);
    let strides = [[21, 1], [1, 259], [-21, -1], [2, -600], [0, 1], [1, 0], [1, 1]];
    for dtype in [DType::F32, DType::F16, DType::F64, DType::I32, DType::U64] {
        for strides in strides {
            let mut problem = Problem::new(dtype, &[3, depth], &[depth, columns], 3);
            let place = Place::new(&[depth, columns], &strides, 1);
            problem.b = (Values::Sparse.of(dtype, place.buffer, &mut Generator(4)), place);
            super::problem::check(&problem);
        }
    }
}

#[test]
fn what_a_packed_matrix_says_of_itself() {
    for kernels in KERNELS.iter() {
        for (dtype, [depth, columns], padded) in
            [(DType::F32, [3, 17], 32), (DType::F16, [300, 16], 16), (DType::I64, [0, 5], 16), (DType::BF16, [5, 0], 0)]
        {
            let place = Place::dense(&[depth, columns], 0);
            let packed = kernels.pack_matrix(&Array::canary(dtype, place.buffer).view(&place)).unwrap();
            assert_eq!(packed.dtype(), dtype);
            assert_eq!(*packed.shape(), Shape::new(&[depth, columns]).unwrap());
            // Columns are filled up to whole vectors.
            assert_eq!(packed.bytes(), depth as usize * padded * dtype.size());
        }
    }
}

/// The matrix may go, clones share what was packed, and all threads may use it at once.
#[test]
fn clones_on_many_threads() {
    let problem = Problem::new(DType::BF16, &[30, 300], &[300, 50], 5);
    let [exact, fast] = [Precision::Exact, Precision::Fast].map(|precision| problem.expected(precision));
    let packed = KERNELS[0].pack_matrix(&problem.b.0.clone().view(&problem.b.1)).unwrap();
    thread::scope(|scope| {
        for kernels in KERNELS.iter() {
            let (problem, packed) = (&problem, packed.clone());
            let expected = if kernels.precision() == Precision::Exact { &exact } else { &fast };
            scope.spawn(move || {
                for _ in 0..3 {
                    problem.compare(&problem.run(&**kernels, Some(&packed)), expected, || format!("{kernels:?}"));
                }
            });
        }
        drop(packed);
    });
}

/// What is packed is filled up with columns: that may not make a huge matrix of a small one, nor of nothing.
#[test]
fn the_limits_of_shapes_hold_for_what_is_packed() {
    for dtype in [DType::F32, DType::U8] {
        let one = Array::new(dtype, vec![0; 1]);
        let narrow = Place { extents: vec![i64::from(i32::MAX), 1], strides: vec![0, 0], offset: 0, buffer: 1 };
        for kernels in KERNELS.iter() {
            let error = kernels.pack_matrix(&one.view(&narrow)).unwrap_err();
            assert!(error.to_string().contains("2147483647"), "{error}");
            for extents in [[0, i64::from(i32::MAX)], [i64::from(i32::MAX), 0]] {
                let empty = Place { extents: extents.to_vec(), strides: vec![0, 0], offset: 0, buffer: 1 };
                kernels.pack_matrix(&one.view(&empty)).unwrap();
            }
        }
    }
}
