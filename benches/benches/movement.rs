//! Movement: concatenation, gathers, pads, tiles and scatters, on one thread and on all, beside ndarray and copies of as many
//! bytes as are written.
//!
//! Ours go through the seam; peers work on arrays that are there already.

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ndarray::{Array2, ArrayView2, ArrayView3, Axis, s};
use stratal_benches::{Aligned, floats};
use stratal_kernels::movement::{PadMode, Padding, ScatterReduction};
use stratal_kernels::{AnyView, AnyViewMut, Kernels, Selection, Threads};
use stratal_tensor::{View, ViewMut};
use stratal_tensor_base::{Element, Geometry, Scalar, Shape};

criterion_group! {
    name = movement;
    config = stratal_benches::criterion();
    targets = concat, gather, pad, tile, scatter
}
criterion_main!(movement);

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

fn view<'a, T: Element>(elements: &'a [T], extents: &[i64]) -> AnyView<'a> {
    let geometry = Geometry::contiguous(Shape::new(extents).expect("a small shape"));
    View::new(elements, geometry).expect("a geometry that fits").into()
}

fn view_mut<'a, T: Element>(elements: &'a mut [T], extents: &[i64]) -> AnyViewMut<'a> {
    let geometry = Geometry::contiguous(Shape::new(extents).expect("a small shape"));
    ViewMut::new(elements, geometry).expect("a geometry that fits").into()
}

/// Pseudo-random numbers below a limit.
fn indices(count: usize, limit: u64) -> Vec<i64> {
    let mut state = 1_u64;
    let next = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % limit) as i64
    };
    (0..count).map(next).collect()
}

/// A call of ours with a result of so many f32.
fn run(
    group: &mut BenchmarkGroup<'_, WallTime>,
    size: &str,
    extents: &[i64],
    call: impl Fn(&dyn Kernels, &mut AnyViewMut<'_>),
) {
    let count = extents.iter().product::<i64>() as usize;
    let mut result = Aligned::new(vec![0.0_f32; count]);
    group.throughput(Throughput::Bytes(count as u64 * 8));
    for (name, kernels) in ours() {
        let mut result = view_mut(&mut result, extents);
        group.bench_function(BenchmarkId::new(name, size), |bencher| bencher.iter(|| call(&*kernels, &mut result)));
    }
    let from = Aligned::new(vec![1.0_f32; count]);
    group.bench_function(BenchmarkId::new("memcpy", size), |bencher| {
        bencher.iter(|| black_box(&mut *result).copy_from_slice(black_box(&from)));
    });
}

fn concat(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("concat_channels");
    // Channels of an image, then rows that lie beside each other.
    for (name, extents, axis) in [
        ("8x32x28x28", [8, 32, 784], 1),
        ("32x256x28x28", [32, 256, 784], 1),
        ("1000x512", [1, 1000, 512], 2),
        ("16000x16", [1, 16_000, 16], 2),
    ] {
        let count = extents.iter().product::<i64>() as usize;
        let (left, right) = (Aligned::new(floats(count)), Aligned::new(floats(count)));
        let parts = [view(&left, &extents), view(&right, &extents)];
        let mut whole = extents;
        whole[axis] *= 2;
        run(&mut group, name, &whole, |kernels, result| {
            kernels.concat(black_box(&parts), axis as i64, result).expect("parts that fit");
        });
        let extents = extents.map(|extent| extent as usize);
        let half = extents[axis];
        let [left, right] =
            [&left, &right].map(|part| ArrayView3::from_shape(extents, part).expect("as many elements"));
        let mut result = ndarray::Array3::<f32>::zeros(whole.map(|extent| extent as usize));
        group.bench_function(BenchmarkId::new("ndarray", name), |bencher| {
            bencher.iter(|| {
                let (mut first, mut second) = result.view_mut().split_at(Axis(axis), half);
                first.assign(&black_box(left));
                second.assign(&black_box(right));
            });
        });
    }
    group.finish();
}

fn gather(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("gather_rows");
    for (name, rows, width, count) in [
        ("512-of-30000x768", 30_000, 768, 512),
        ("8192-of-30000x768", 30_000, 768, 8192),
        ("8192-of-1000x16", 1000, 16, 8192),
    ] {
        let table = Aligned::new(floats(rows * width));
        let words = indices(count, rows as u64);
        let x = view(&table, &[rows as i64, width as i64]);
        let at = view(&words, &[count as i64]);
        run(&mut group, name, &[count as i64, width as i64], |kernels, result| {
            kernels.gather(black_box(&x), black_box(&at), 0, result).expect("indices within");
        });
        let x = ArrayView2::from_shape((rows, width), &table).expect("as many elements");
        let at: Vec<usize> = words.iter().map(|word| *word as usize).collect();
        group.bench_function(BenchmarkId::new("ndarray-select", name), |bencher| {
            bencher.iter(|| black_box(&x).select(Axis(0), black_box(&at)));
        });
    }
    group.finish();
    let mut group = criterion.benchmark_group("gather_elements");
    let (rows, columns) = (1024_usize, 1024_usize);
    let elements = Aligned::new(floats(rows * columns));
    let numbers = indices(rows * columns, columns as u64);
    let extents = [rows as i64, columns as i64];
    let (x, at) = (view(&elements, &extents), view(&numbers, &extents));
    for axis in 0..2 {
        run(&mut group, &format!("1024x1024-axis-{axis}"), &extents, |kernels, result| {
            kernels.gather_elements(black_box(&x), black_box(&at), axis, result).expect("indices within");
        });
    }
    let mut result = Aligned::new(vec![0.0_f32; rows * columns]);
    group.bench_function(BenchmarkId::new("plain-loop", "1024x1024-axis-1"), |bencher| {
        bencher.iter(|| {
            let lines = elements.chunks(columns).zip(numbers.chunks(columns)).zip(result.chunks_mut(columns));
            for ((elements, numbers), result) in black_box(lines) {
                for (result, number) in result.iter_mut().zip(numbers) {
                    *result = elements[*number as usize];
                }
            }
        });
    });
    group.finish();
}

fn pad(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pad_image");
    for (name, extents) in [("64x56x56", [64, 56, 56]), ("512x14x14", [512, 14, 14]), ("64x512x512", [64, 512, 512])] {
        let count = extents.iter().product::<i64>() as usize;
        let elements = Aligned::new(floats(count));
        let x = view(&elements, &extents);
        let whole = [extents[0], extents[1] + 2, extents[2] + 2];
        for (mode_name, mode) in
            [("constant", PadMode::Constant(Scalar::F32(0.0))), ("reflect", PadMode::Reflect), ("edge", PadMode::Edge)]
        {
            let padding = Padding { before: &[0, 1, 1], after: &[0, 1, 1], mode };
            run(&mut group, &format!("{mode_name}-{name}"), &whole, |kernels, result| {
                kernels.pad(black_box(&x), &padding, result).expect("a result that fits");
            });
        }
        let x = ArrayView3::from_shape(extents.map(|extent| extent as usize), &elements).expect("as many elements");
        let mut result = ndarray::Array3::<f32>::zeros(whole.map(|extent| extent as usize));
        let inner = s![.., 1..whole[1] as isize - 1, 1..whole[2] as isize - 1];
        group.bench_function(BenchmarkId::new("ndarray", format!("constant-{name}")), |bencher| {
            bencher.iter(|| {
                result.fill(black_box(0.0));
                result.slice_mut(inner).assign(&black_box(x));
            });
        });
    }
    group.finish();
}

fn tile(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tile_rows");
    for (name, extents, repeats) in [
        ("768-by-2048", [1, 768], [2048, 1]),
        ("1024x3-by-1x100", [1024, 3], [1, 100]),
        ("512x512-by-2x3", [512, 512], [2, 3]),
    ] {
        let elements = Aligned::new(floats((extents[0] * extents[1]) as usize));
        let x = view(&elements, &extents);
        let whole = [extents[0] * repeats[0], extents[1] * repeats[1]];
        run(&mut group, name, &whole, |kernels, result| {
            kernels.tile(black_box(&x), &repeats, result).expect("a result that fits");
        });
        let [rows, columns] = extents.map(|extent| extent as usize);
        let x = ArrayView2::from_shape((rows, columns), &elements).expect("as many elements");
        let mut result = Array2::<f32>::zeros((whole[0] as usize, whole[1] as usize));
        group.bench_function(BenchmarkId::new("ndarray", name), |bencher| {
            bencher.iter(|| {
                for mut part in result.exact_chunks_mut((rows, columns)) {
                    part.assign(&black_box(x));
                }
            });
        });
    }
    group.finish();
}

fn scatter(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("scatter_rows");
    let (rows, width, count) = (8192_usize, 768_usize, 2048_usize);
    let mut elements = Aligned::new(vec![0.0_f32; rows * width]);
    let updates = Aligned::new(floats(count * width));
    let numbers = indices(count, rows as u64);
    let extents = [rows as i64, width as i64];
    let (at, from) = (view(&numbers, &[count as i64, 1]), view(&updates, &[count as i64, width as i64]));
    group.throughput(Throughput::Bytes((count * width * 8) as u64));
    for (name, reduction) in [("none", ScatterReduction::None), ("add", ScatterReduction::Add)] {
        for (backend, kernels) in ours().into_iter().take(1) {
            let mut x = view_mut(&mut elements, &extents);
            group.bench_function(BenchmarkId::new(backend, name), |bencher| {
                bencher.iter(|| kernels.scatter_nd_in_place(&mut x, black_box(&at), black_box(&from), reduction));
            });
        }
        let mut x = Array2::<f32>::zeros((rows, width));
        let from = ArrayView2::from_shape((count, width), &updates).expect("as many elements");
        group.bench_function(BenchmarkId::new("ndarray", name), |bencher| {
            bencher.iter(|| {
                for (number, update) in black_box(&numbers).iter().zip(from.rows()) {
                    let mut row = x.row_mut(*number as usize);
                    match reduction {
                        ScatterReduction::Add => row += &update,
                        _ => row.assign(&update),
                    }
                }
            });
        });
    }
    group.finish();
}
