//! Operations on rows: reductions, softmax and normalisations, on one thread and on all, beside plain loops and ndarray.
//!
//! Ours go through the seam, so that a call's cost is in the figures; peers work on slices and arrays.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ndarray::{ArrayView2, Axis};
use stratal_benches::Aligned;
use stratal_kernels::reduce::{self, Reduction};
use stratal_kernels::{AnyView, AnyViewMut, Centre, Kernels, Normalization, Saved, Selection, Softmax, Threads};
use stratal_tensor::{View, ViewMut};
use stratal_tensor_base::{Element, Geometry, Shape};

/// Rows and columns: in the first-level cache, in the second, in memory.
const SHAPES: [(usize, usize); 3] = [(64, 64), (256, 256), (4096, 4096)];

criterion_group! {
    name = rows;
    config = stratal_benches::criterion();
    targets = sums, maxima, log_sum_exp, softmax, norms
}
criterion_main!(rows);

/// Our kernels, by the name of the line: one thread and all.
fn ours() -> Vec<(String, std::sync::Arc<dyn Kernels>)> {
    let one = Selection::new().threads(Threads::calling()).kernels();
    let all = Selection::new().threads(Threads::process()).kernels();
    let count = Threads::process().count();
    [("stratal".to_owned(), one), (format!("stratal-x{count}"), all)]
        .into_iter()
        .filter_map(|(name, kernels)| Some((name, kernels.ok()?)))
        .collect()
}

fn geometry(extents: &[usize]) -> Geometry {
    let extents: Vec<i64> = extents.iter().map(|extent| *extent as i64).collect();
    Geometry::contiguous(Shape::new(&extents).expect("a small shape"))
}

fn view<T: Element>(elements: &[T], geometry: Geometry) -> AnyView<'_> {
    View::new(elements, geometry).expect("a geometry that fits").into()
}

fn view_mut<T: Element>(elements: &mut [T], geometry: Geometry) -> AnyViewMut<'_> {
    ViewMut::new(elements, geometry).expect("a geometry that fits").into()
}

/// From -4 to 4.
fn elements(count: usize) -> Aligned<f32> {
    Aligned::new((0..count).map(|index| (index % 4093) as f32 / 512.0 - 4.0).collect())
}

/// What a peer makes of a matrix, and along which axis: all, rows, columns.
type Peer = fn(&ArrayView2<'_, f32>, Option<Axis>) -> f32;

fn sums(criterion: &mut Criterion) {
    reduction(criterion, "sum", &reduce::Sum, |x, axis| match axis {
        None => x.sum(),
        Some(axis) => x.sum_axis(axis)[0],
    });
}

fn maxima(criterion: &mut Criterion) {
    reduction(criterion, "max", &reduce::Max, |x, axis| match axis {
        None => x.fold(f32::NEG_INFINITY, |a, b| max(a, *b)),
        Some(axis) => x.fold_axis(axis, f32::NEG_INFINITY, |a, b| max(*a, *b))[0],
    });
}

fn max(a: f32, b: f32) -> f32 {
    if a.is_nan() || a > b { a } else { b }
}

/// Sums and the like of all elements, of rows and of columns.
fn reduction(criterion: &mut Criterion, name: &str, operation: &dyn Reduction, peer: Peer) {
    for (what, axis) in [("all", None), ("rows", Some(Axis(1))), ("columns", Some(Axis(0)))] {
        let mut group = criterion.benchmark_group(format!("reduce_{name}_{what}"));
        for (rows, columns) in SHAPES {
            let x = elements(rows * columns);
            let reduced = match what {
                "all" => [1, 1],
                "rows" => [rows, 1],
                _ => [1, columns],
            };
            let mut results = Aligned::new(vec![0.0_f32; reduced[0] * reduced[1]]);
            let size = format!("{rows}x{columns}");
            group.throughput(Throughput::Bytes((rows * columns * 4) as u64));
            for (name, kernels) in ours() {
                let x = view(&x, geometry(&[rows, columns]));
                let mut results = view_mut(&mut results, geometry(&reduced));
                group.bench_function(BenchmarkId::new(name, &size), |bencher| {
                    bencher.iter(|| kernels.reduce(operation, black_box(&x), &mut results));
                });
            }
            let x = ArrayView2::from_shape((rows, columns), &x).expect("as many elements");
            group.bench_function(BenchmarkId::new("ndarray", &size), |bencher| {
                bencher.iter(|| peer(black_box(&x), axis));
            });
        }
        group.finish();
    }
}

fn log_sum_exp(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("reduce_log_sum_exp_rows");
    let (rows, columns) = (64, 1024);
    let x = elements(rows * columns);
    let mut results = vec![0.0_f32; rows];
    group.throughput(Throughput::Bytes((rows * columns * 4) as u64));
    for (name, kernels) in ours() {
        let x = view(&x, geometry(&[rows, columns]));
        let mut results = view_mut(&mut results, geometry(&[rows, 1]));
        group.bench_function(BenchmarkId::new(name, "64x1024"), |bencher| {
            bencher.iter(|| kernels.reduce(&reduce::LogSumExp, black_box(&x), &mut results));
        });
    }
    group.bench_function(BenchmarkId::new("plain-loop", "64x1024"), |bencher| {
        bencher.iter(|| {
            for (row, result) in black_box(&x).chunks(columns).zip(&mut results) {
                let greatest = row.iter().fold(f32::MIN, |a, b| a.max(*b));
                *result = greatest + row.iter().map(|x| (x - greatest).exp()).sum::<f32>().ln();
            }
        });
    });
    group.finish();
}

fn softmax(criterion: &mut Criterion) {
    // The last is along an outer axis, as over channels.
    for (name, extents, axis) in [
        ("softmax_rows", [1, 1, 1024], 2),
        ("softmax_rows", [1, 1024, 1024], 2),
        ("softmax_channels", [8, 64, 1024], 1),
    ] {
        let mut group = criterion.benchmark_group(name);
        let count = extents.iter().product();
        let x = elements(count);
        let mut result = Aligned::new(vec![0.0_f32; count]);
        let size = format!("{}x{}x{}", extents[0], extents[1], extents[2]);
        group.throughput(Throughput::Bytes(count as u64 * 8));
        for (name, kernels) in ours() {
            let x = view(&x, geometry(&extents));
            let mut result = view_mut(&mut result, geometry(&extents));
            group.bench_function(BenchmarkId::new(name, &size), |bencher| {
                bencher.iter(|| kernels.softmax(&Softmax::along(axis), black_box(&x), &mut result));
            });
        }
        if axis == 2 {
            group.bench_function(BenchmarkId::new("plain-loop", &size), |bencher| {
                bencher.iter(|| {
                    for (x, result) in black_box(&x).chunks(extents[2]).zip(result.chunks_mut(extents[2])) {
                        plain_softmax(x, result);
                    }
                });
            });
        }
        group.finish();
    }
}

fn plain_softmax(x: &[f32], result: &mut [f32]) {
    let greatest = x.iter().fold(f32::MIN, |a, b| a.max(*b));
    let mut sum = 0.0;
    for (x, result) in x.iter().zip(&mut *result) {
        *result = (x - greatest).exp();
        sum += *result;
    }
    result.iter_mut().for_each(|result| *result /= sum);
}

fn norms(criterion: &mut Criterion) {
    for (name, centre) in [("norm_layer", Centre::Mean), ("norm_rms", Centre::Zero)] {
        let mut group = criterion.benchmark_group(name);
        for (rows, columns) in [(1, 1024), (1024, 1024)] {
            let count = rows * columns;
            let x = elements(count);
            let (scale, bias) = (elements(columns), elements(columns));
            let mut result = Aligned::new(vec![0.0_f32; count]);
            let size = format!("{rows}x{columns}");
            let whole = geometry(&[rows, columns]);
            let row = geometry(&[1, columns]).broadcast_to(whole.shape()).expect("a row for all rows");
            let operation = Normalization { centre, axes: &[1], epsilon: 1e-5 };
            group.throughput(Throughput::Bytes(count as u64 * 8));
            for (name, kernels) in ours() {
                let (x, scale, bias) = (view(&x, whole), view(&scale, row), view(&bias, row));
                let bias = (centre == Centre::Mean).then_some(&bias);
                let mut result = view_mut(&mut result, whole);
                group.bench_function(BenchmarkId::new(name, &size), |bencher| {
                    bencher.iter(|| {
                        let saved = Saved::default();
                        kernels.normalize(&operation, black_box(&x), Some(&scale), bias, &mut result, saved)
                    });
                });
            }
            group.bench_function(BenchmarkId::new("plain-loop", &size), |bencher| {
                bencher.iter(|| {
                    for (x, result) in black_box(&x).chunks(columns).zip(result.chunks_mut(columns)) {
                        plain_norm(centre, x, &scale, &bias, result);
                    }
                });
            });
        }
        group.finish();
    }
}

fn plain_norm(centre: Centre, x: &[f32], scale: &[f32], bias: &[f32], result: &mut [f32]) {
    let count = x.len() as f32;
    let (mean, bias) = match centre {
        Centre::Mean => (x.iter().sum::<f32>() / count, bias),
        Centre::Zero => (0.0, &[][..]),
    };
    let variance = x.iter().map(|x| (x - mean) * (x - mean)).sum::<f32>() / count;
    let inverse = 1.0 / (variance + 1e-5).sqrt();
    for (index, (x, result)) in x.iter().zip(result).enumerate() {
        *result = (x - mean) * inverse * scale[index] + bias.get(index).copied().unwrap_or(0.0);
    }
}
