//! Products and convolutions, given as lines of text, on one thread and on all, beside ndarray and the machine's peak.
//!
//! `peak` is a loop of fused multiply-adds in registers, as many as the problem has: what its share of `stratal` is to one is
//! the part of the peak that is reached.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use ndarray::{Array2, LinalgScalar};
use stratal_benches::problem::Problem;
use stratal_kernels::{Selection, Threads};

/// Square and skinny products, and convolutions of well-known nets.
const PROBLEMS: &str = include_str!("products.txt");

criterion_group! {
    name = products;
    config = stratal_benches::criterion();
    targets = all
}
criterion_main!(products);

fn all(criterion: &mut Criterion) {
    for line in PROBLEMS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let problem: Problem = line.parse().expect("a line that is a problem");
        one(criterion, &problem);
    }
}

fn one(criterion: &mut Criterion, problem: &Problem) {
    let mut group = criterion.benchmark_group(problem.group());
    let all = Threads::process().count();
    for (name, threads) in [("stratal".to_owned(), Threads::calling()), (format!("stratal-x{all}"), Threads::process())]
    {
        let kernels = Selection::new().threads(threads).kernels().expect("kernels of this machine");
        let id = BenchmarkId::new(name, problem.name());
        let outcome = problem.with_run(&*kernels, |run| {
            group.bench_function(id, |bencher| bencher.iter(|| run().is_ok()));
        });
        outcome.expect("a problem that can be computed");
    }
    if let Some([rows, depth, columns]) = problem.as_matrices() {
        let id = BenchmarkId::new("ndarray", problem.name());
        if problem.group().ends_with("f32") {
            let (a, b) = matrices::<f32>(rows, depth, columns);
            group.bench_function(id, |bencher| bencher.iter(|| black_box(a.dot(black_box(&b)))));
        } else {
            let (a, b) = matrices::<f64>(rows, depth, columns);
            group.bench_function(id, |bencher| bencher.iter(|| black_box(a.dot(black_box(&b)))));
        }
    }
    #[cfg(target_arch = "x86_64")]
    if stratal_benches::hand::is_available() {
        let lanes = if problem.group().ends_with("f32") { 16 } else { 8 };
        let count = problem.multiplications() / lanes;
        group.bench_function(BenchmarkId::new("peak", problem.name()), |bencher| {
            bencher.iter(|| stratal_benches::hand::multiply_add(black_box(count)));
        });
    }
    group.finish();
}

fn matrices<T: LinalgScalar>(rows: usize, depth: usize, columns: usize) -> (Array2<T>, Array2<T>) {
    (Array2::ones((rows, depth)), Array2::ones((depth, columns)))
}
