//! Products of matrices beside the gemm crate, on one thread and on two.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion};
use gemm::Parallelism;
use stratal_benches::problem::Problem;
use stratal_kernels::{Selection, Threads};

/// Rows, depth and columns.
const SIZES: [[usize; 3]; 9] = [
    [64, 64, 64],
    [128, 128, 128],
    [256, 256, 256],
    [512, 512, 512],
    [1024, 1024, 1024],
    [2048, 2048, 2048],
    [1, 4096, 4096],
    [8, 4096, 4096],
    [32, 4096, 4096],
];

pub fn all(criterion: &mut Criterion) {
    for size in SIZES {
        one::<f32>(criterion, "f32", size);
    }
    for size in [[64; 3], [256; 3], [1024; 3], [8, 2048, 2048]] {
        one::<f64>(criterion, "f64", size);
    }
}

fn one<T: Copy + From<f32> + 'static>(criterion: &mut Criterion, dtype: &str, [rows, depth, columns]: [usize; 3]) {
    let mut group = criterion.benchmark_group(format!("matmul_{dtype}"));
    let name = format!("{rows}x{depth}_{depth}x{columns}");
    let threads = Threads::own(2).expect("two threads");
    let runs = [("", Threads::calling(), Parallelism::None), ("-x2", threads, Parallelism::Rayon(2))];
    for (suffix, threads, parallelism) in runs {
        let kernels = Selection::new().threads(threads).kernels().expect("kernels of this machine");
        for packed in ["", " packed"] {
            let line = format!("matmul {dtype} {rows}x{depth} {depth}x{columns}{packed}");
            let problem: Problem = line.parse().expect("a problem");
            let id = BenchmarkId::new(format!("stratal{}{suffix}", packed.replace(' ', "-")), &name);
            let run = |run: &mut dyn FnMut() -> Result<(), stratal_kernels::KernelError>| {
                group.bench_function(id, |bencher| bencher.iter(|| run().is_ok()));
            };
            problem.with_run(&*kernels, run).expect("a problem that can be computed");
        }
        let number = |index: usize| T::from((index % 251) as f32 / 125.0 - 1.0);
        let a: Vec<T> = (0..rows * depth).map(number).collect();
        let b: Vec<T> = (0..depth * columns).map(number).collect();
        let mut result = vec![T::from(0.0); rows * columns];
        group.bench_function(BenchmarkId::new(format!("gemm{suffix}"), &name), |bencher| {
            bencher.iter(|| {
                let (a, b) = (black_box(&a), black_box(&b));
                let (depth_stride, column_stride) = (columns as isize, 1);
                // SAFETY: the pointers are to matrices of these extents and strides, and the result is not read.
                unsafe {
                    gemm::gemm(
                        rows,
                        columns,
                        depth,
                        result.as_mut_ptr(),
                        1,
                        columns as isize,
                        false,
                        a.as_ptr(),
                        1,
                        depth as isize,
                        b.as_ptr(),
                        column_stride,
                        depth_stride,
                        T::from(0.0),
                        T::from(1.0),
                        false,
                        false,
                        false,
                        parallelism,
                    );
                }
            });
        });
    }
    group.finish();
}
