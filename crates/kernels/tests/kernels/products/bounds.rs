//! How far fast products may be from the truth.
//!
//! A sum of `k` terms in blocks of 256 passes a term through at most `n = min(k, 256) + ceil(k / 256)` roundings: those of its
//! block, the first product included, and those of the blocks after. So it is within `n u / (1 - n u)` times the sum of all
//! `|a| |b|` of the exact one, where `u` is half the distance of 1 to the next number (Higham, "Accuracy and Stability of
//! Numerical Algorithms", section 3.1).

use stratal_kernels::Precision;
use stratal_tensor_base::DType;

use super::model::to_f64;
use super::problem::{KERNELS, Problem};
use crate::EMULATED;
use crate::array::Array;

/// A sum of products with an error of some u^2 of f64: products and sums are split into what is rounded and the rest (Ogita,
/// Rump and Oishi, "Accurate sum and dot product", 2005). Also the sum of all sizes.
fn twice_as_exact(terms: impl Iterator<Item = (f64, f64)>) -> ((f64, f64), f64) {
    let (mut sum, mut rest, mut sizes) = (0.0_f64, 0.0_f64, 0.0_f64);
    for (a, b) in terms {
        let product = a * b;
        let of_product = a.mul_add(b, -product);
        let next = sum + product;
        let back = next - sum;
        rest += (sum - (next - back)) + (product - back) + of_product;
        sum = next;
        sizes += product.abs();
    }
    ((sum, rest), sizes)
}

fn check_bound(problem: &Problem) {
    let dtype = problem.dtype();
    let [a, b] = [&problem.a, &problem.b].map(|(array, place)| array.gather(&place.positions()));
    let [m, k, n] =
        [problem.a.1.extents[0], problem.a.1.extents[1], problem.b.1.extents[1]].map(|extent| extent as usize);
    let unit = if dtype == DType::F64 { 2_f64.powi(-53) } else { 2_f64.powi(-24) };
    let roundings = (k.min(256) + k.div_ceil(256)) as f64;
    let gamma = roundings * unit / (1.0 - roundings * unit);
    // What is summed in f32 is rounded once more.
    let digits = match dtype {
        DType::F16 => 2_f64.powi(-11),
        DType::BF16 => 2_f64.powi(-8),
        _ => 0.0,
    };
    for kernels in KERNELS.iter().filter(|kernels| kernels.precision() == Precision::Fast) {
        let found = problem.run(&**kernels, None).gather(&problem.result.positions());
        for (index, found) in found.patterns().map(|pattern| to_f64(dtype, pattern)).enumerate() {
            let (row, column) = (index / n, index % n);
            let value = |array: &Array, position: usize| to_f64(dtype, array.get(position));
            let terms = (0..k).map(|depth| (value(&a, row * k + depth), value(&b, depth * n + column)));
            let ((sum, rest), sizes) = twice_as_exact(terms);
            let error = ((found - sum) - rest).abs();
            // Its own error is at most so much.
            let slack = 1e-25 * sizes;
            let bound = gamma * sizes + digits * (found.abs() + gamma * sizes) + slack;
            assert!(
                error <= bound,
                "{error:e} above {bound:e} in {dtype} at {row}, {column} of {m} {k} {n}: {kernels:?}"
            );
        }
    }
}

#[test]
fn errors_are_within_the_bound_of_the_order() {
    let sizes: &[[i64; 3]] = match EMULATED {
        true => &[[2, 300, 17]],
        false => &[[1, 1, 1], [3, 5, 7], [13, 255, 20], [2, 256, 33], [20, 257, 70], [5, 1025, 18], [2, 10_000, 5]],
    };
    for dtype in [DType::F32, DType::F64, DType::F16, DType::BF16] {
        for (seed, [m, k, n]) in sizes.iter().enumerate() {
            check_bound(&Problem::new(dtype, &[*m, *k], &[*k, *n], seed as u64));
        }
    }
}

/// One, and many numbers that one sum from the start would lose each: blocks lose those of the first one alone.
#[test]
fn small_terms_behind_a_large_one_are_not_lost() {
    for (dtype, small) in [(DType::F32, 2_f64.powi(-25)), (DType::F64, 2_f64.powi(-54))] {
        for rows in [1, 13] {
            let depth = 1_i64 << 14;
            let mut problem = Problem::new(dtype, &[rows, depth], &[depth, 17], 1);
            let pattern =
                |value: f64| if dtype == DType::F32 { (value as f32).to_bits().into() } else { value.to_bits() };
            for position in 0..problem.a.0.count() {
                problem.a.0.set(position, pattern(1.0));
            }
            for position in 0..problem.b.0.count() {
                problem.b.0.set(position, pattern(small));
            }
            let first = problem.b.1.offset as usize;
            (first..first + 17).for_each(|position| problem.b.0.set(position, pattern(1.0)));
            check_bound(&problem);
        }
    }
}
