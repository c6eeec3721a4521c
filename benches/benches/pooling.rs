//! Windows over images, resizing and selection, on one thread and on all, beside plain loops and copies of the operand.
//!
//! Ours go through the seam, so that a call's cost is in the figures; peers work on slices.

use std::hint::black_box;
use std::sync::Arc;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main};
use stratal_benches::{Aligned, floats};
use stratal_kernels::pool::{Window, WindowAxis};
use stratal_kernels::resize::{Coordinates, Interpolation, Nearest, Resize, ResizeAxis};
use stratal_kernels::sort::TopK;
use stratal_kernels::{AnyView, AnyViewMut, Kernels, Selection, Threads};
use stratal_tensor::{View, ViewMut};
use stratal_tensor_base::{Element, Geometry, Shape};

criterion_group! {
    name = pooling;
    config = stratal_benches::criterion();
    targets = max_pool, average_pool, resize, top_k
}
criterion_main!(pooling);

/// Our kernels, by the name of the line: one thread and all.
fn ours() -> Vec<(String, Arc<dyn Kernels>)> {
    let one = Selection::new().threads(Threads::calling()).kernels();
    let all = Selection::new().threads(Threads::process()).kernels();
    let count = Threads::process().count();
    [("stratal".to_owned(), one), (format!("stratal-x{count}"), all)]
        .into_iter()
        .filter_map(|(name, kernels)| Some((name, kernels.ok()?)))
        .collect()
}

fn shape(extents: &[i64]) -> Geometry {
    Geometry::contiguous(Shape::new(extents).expect("a small shape"))
}

fn channels_last([n, c, h, w]: [i64; 4]) -> Geometry {
    shape(&[n, h, w, c]).permute(&[0, 3, 1, 2]).expect("a permutation")
}

fn view<T: Element>(elements: &[T], geometry: Geometry) -> AnyView<'_> {
    View::new(elements, geometry).expect("a geometry that fits").into()
}

fn view_mut<T: Element>(elements: &mut [T], geometry: Geometry) -> AnyViewMut<'_> {
    ViewMut::new(elements, geometry).expect("a geometry that fits").into()
}

/// A copy of the operand.
fn memcpy(group: &mut BenchmarkGroup<'_, WallTime>, count: usize) {
    let from = Aligned::new(floats(count));
    let mut to = Aligned::new(vec![0.0_f32; count]);
    group.bench_function("memcpy", |bencher| {
        bencher.iter(|| black_box(&mut *to).copy_from_slice(black_box(&from)));
    });
}

fn square(kernel: i64, stride: i64, pad: i64) -> Window {
    let axis = WindowAxis { kernel, stride, pad_begin: pad, pad_end: pad, ..WindowAxis::default() };
    Window { axes: vec![axis; 2], ceil: false }
}

/// Images of 64 channels, 112 by 112, through 3 by 3 windows that move by 2.
fn max_pool(criterion: &mut Criterion) {
    let (images, outputs) = ([1, 64, 112, 112], [1, 64, 56, 56]);
    let window = square(3, 2, 1);
    let x = Aligned::new(floats(64 * 112 * 112));
    let mut result = Aligned::new(vec![0.0_f32; 64 * 56 * 56]);
    let mut indices = Aligned::new(vec![0_i32; 64 * 56 * 56]);
    for (name, from, to) in [
        ("pool_max_nchw_k3_s2", shape(&images), shape(&outputs)),
        ("pool_max_nhwc_k3_s2", channels_last(images), channels_last(outputs)),
    ] {
        let mut group = criterion.benchmark_group(name);
        for (name, kernels) in ours() {
            let x = view(&x, from);
            group.bench_function(&name, |bencher| {
                let mut result = view_mut(&mut result, to);
                bencher.iter(|| kernels.max_pool(&window, black_box(&x), &mut result, None).expect("a call that fits"));
            });
            group.bench_function(format!("{name}-indices"), |bencher| {
                let (mut result, mut indices) = (view_mut(&mut result, to), view_mut(&mut indices, to));
                bencher.iter(|| {
                    kernels.max_pool(&window, black_box(&x), &mut result, Some(&mut indices)).expect("a call that fits")
                });
            });
        }
        if name == "pool_max_nchw_k3_s2" {
            group.bench_function("plain-loop", |bencher| {
                bencher.iter(|| {
                    plain(black_box(&x), &mut result, f32::NEG_INFINITY, |best, x| if x > best { x } else { best })
                });
            });
        }
        memcpy(&mut group, 64 * 112 * 112);
        group.finish();
    }
}

/// The 3 by 3 window that moves by 2, without care for NaN.
fn plain(x: &[f32], result: &mut [f32], start: f32, step: impl Fn(f32, f32) -> f32) {
    for (plane, result) in x.chunks_exact(112 * 112).zip(result.chunks_exact_mut(56 * 56)) {
        for (position, result) in result.iter_mut().enumerate() {
            let (top, left) = (position / 56 * 2, position % 56 * 2);
            let mut value = start;
            for row in top.max(1) - 1..(top + 2).min(112) {
                for column in left.max(1) - 1..(left + 2).min(112) {
                    value = step(value, plane[row * 112 + column]);
                }
            }
            *result = value;
        }
    }
}

fn average_pool(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pool_average_nchw_k3_s2");
    let x = Aligned::new(floats(64 * 112 * 112));
    let mut result = Aligned::new(vec![0.0_f32; 64 * 56 * 56]);
    let window = square(3, 2, 1);
    for (name, kernels) in ours() {
        let x = view(&x, shape(&[1, 64, 112, 112]));
        let mut result = view_mut(&mut result, shape(&[1, 64, 56, 56]));
        group.bench_function(name, |bencher| {
            bencher.iter(|| kernels.average_pool(&window, true, black_box(&x), &mut result).expect("a call that fits"));
        });
    }
    group.bench_function("plain-loop", |bencher| {
        bencher.iter(|| {
            plain(black_box(&x), &mut result, 0.0, |sum, x| sum + x);
            result.iter_mut().for_each(|sum| *sum /= 9.0);
        });
    });
    memcpy(&mut group, 64 * 112 * 112);
    group.finish();
}

/// Images of 64 channels from 56 by 56 to 112 by 112.
fn resize(criterion: &mut Criterion) {
    let x = Aligned::new(floats(64 * 56 * 56));
    let mut result = Aligned::new(vec![0.0_f32; 64 * 112 * 112]);
    for (name, interpolation) in [
        ("resize_nearest_x2", Interpolation::Nearest(Nearest::Floor)),
        ("resize_linear_x2", Interpolation::Linear),
        ("resize_cubic_x2", Interpolation::Cubic(-0.75)),
    ] {
        let mut group = criterion.benchmark_group(name);
        let axes = [2, 3].map(ResizeAxis::of_extents).to_vec();
        let resize = Resize { axes, ..Resize::new(interpolation, Coordinates::HalfPixel) };
        for (name, kernels) in ours() {
            let x = view(&x, shape(&[1, 64, 56, 56]));
            let mut result = view_mut(&mut result, shape(&[1, 64, 112, 112]));
            group.bench_function(name, |bencher| {
                bencher.iter(|| kernels.resize(&resize, black_box(&x), &mut result).expect("a call that fits"));
            });
        }
        memcpy(&mut group, 64 * 112 * 112);
        group.finish();
    }
}

/// Ten of each of 64 rows of 8192.
fn top_k(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("topk_10_of_8192");
    let x = Aligned::new(floats(64 * 8192));
    let (mut values, mut indices) = (vec![0.0_f32; 640], vec![0_i64; 640]);
    let top = TopK { axis: 1, k: 10, largest: true, sorted: true };
    for (name, kernels) in ours() {
        let x = view(&x, shape(&[64, 8192]));
        let (mut values, mut indices) =
            (view_mut(&mut values, shape(&[64, 10])), view_mut(&mut indices, shape(&[64, 10])));
        group.bench_function(name, |bencher| {
            bencher.iter(|| kernels.top_k(&top, black_box(&x), &mut values, &mut indices).expect("a call that fits"));
        });
    }
    group.bench_function("plain-sort", |bencher| {
        bencher.iter(|| {
            for row in black_box(&x).chunks_exact(8192) {
                let mut order: Vec<u32> = (0..8192).collect();
                order.sort_by(|a, b| row[*b as usize].total_cmp(&row[*a as usize]));
                black_box(&order[..10]);
            }
        });
    });
    memcpy(&mut group, 64 * 8192);
    group.finish();
}
