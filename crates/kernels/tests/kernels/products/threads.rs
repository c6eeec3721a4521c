//! Large problems: the same bits on any number of threads.

use std::sync::Arc;

use stratal_kernels::map::Relu;
use stratal_kernels::{Backend, Kernels, Threads};
use stratal_tensor_base::DType;

use super::problem::{Problem, check_with, on_threads};
use crate::EMULATED;
use crate::place::{Place, in_order};

fn on_many_threads() -> Vec<Arc<dyn Kernels>> {
    let pools: Vec<Threads> = [1, 2, 3, 8].into_iter().map(|threads| Threads::own(threads).unwrap()).collect();
    let mut kernels = on_threads(&pools);
    // One kind of vectors shows what threads do; the reference knows none.
    kernels.retain(|kernels| [Backend::Scalar, Backend::best()].contains(&kernels.backend()));
    kernels
}

/// Above 2^20 multiplications each, but under emulation.
fn problems(dtype: DType) -> Vec<Problem> {
    let new = |a: &[i64], b: &[i64]| Problem::new(dtype, a, b, 6);
    if EMULATED {
        return vec![new(&[130, 64], &[64, 128])];
    }
    let (bias, place) = new(&[1, 1], &[1, 1601]).b;
    let reversed = (bias, Place::new(&[1601], &[-1], place.offset));
    let strided = new(&[5, 130, 40], &[40, 55]);
    let place = |order: &[usize], innermost: i64| {
        Place::new(&strided.result.extents, &in_order(&strided.result.extents, order, innermost), 1)
    };
    vec![
        // Rows in three tasks; all of them packed once for all.
        new(&[300, 37], &[37, 99]),
        new(&[127, 300], &[300, 40]),
        // Columns in three tasks, in place and packed, with a bias side by side and one in reverse.
        new(&[9, 80], &[80, 1600]).with_bias(&[1600]),
        Problem { bias: Some(reversed), ..new(&[20, 40], &[40, 1601]) },
        // One row, one column.
        new(&[1, 700], &[700, 1601]),
        new(&[1601, 700], &[700, 1]),
        // Matrices, each of its own, and one right side for all.
        new(&[5, 64, 65], &[5, 65, 64]),
        new(&[40, 1, 30, 33], &[3, 33, 12]),
        new(&[6, 50, 60], &[60, 70]),
        // Results of each order.
        Problem { result: place(&[0, 2, 1], 1), ..strided.clone() },
        Problem { result: place(&[1, 0, 2], 2), beta: 1.0, ..strided.clone() },
        Problem { beta: 1.0, activation: Some(&Relu), ..strided.with_bias(&[5, 1, 55]) },
    ]
}

#[test]
fn the_same_bits_on_any_number_of_threads() {
    let kernels = on_many_threads();
    problems(DType::F32).iter().for_each(|problem| check_with(&kernels, problem));
}

#[test]
fn other_dtypes_on_any_number_of_threads() {
    let kernels = on_many_threads();
    for (number, dtype) in [DType::F64, DType::BF16, DType::I32, DType::U64].into_iter().enumerate() {
        problems(dtype).iter().skip(number).step_by(4).for_each(|problem| check_with(&kernels, problem));
    }
}

/// Products called from the threads of pools, inside which they hand work to pools: each has room of its own.
#[test]
fn products_within_tasks_of_pools() {
    let problem = Problem::new(DType::F32, &[150, 90], &[90, 90], 8);
    let kernels: Vec<_> = on_threads(&[Threads::own(2).unwrap(), Threads::process()])
        .into_iter()
        .filter(|one| one.backend() == Backend::best())
        .collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    let once = || check_with(&kernels, &problem);
    pool.install(|| rayon::join(|| rayon::join(once, once), || rayon::join(once, once)));
}
