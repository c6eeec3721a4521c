//! Kernels on whole tensors: maps, conversions and transposed copies, on one thread and on all, beside loops written by
//! hand, plain loops, ndarray, the `half` crate, and copies of as many bytes.
//!
//! Ours go through the seam, so that a call's cost is in the figures; peers work on slices.

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use half::slice::HalfFloatSliceExt;
use ndarray::{Array1, ArrayView2, ArrayView3};
use stratal_benches::{Aligned, floats, hand};
use stratal_kernels::map::{self, Unary};
use stratal_kernels::{AnyView, AnyViewMut, Kernels, Selection, Threads};
use stratal_tensor::{View, ViewMut};
use stratal_tensor_base::{Element, Geometry, Shape, bf16, f16};

/// Elements, and a name for the f32 of one operand: in the first-level cache, in the second, in memory.
const COUNTS: [(usize, &str); 3] = [(2 << 10, "8KiB"), (64 << 10, "256KiB"), (16 << 20, "64MiB")];

criterion_group! {
    name = maps;
    config = stratal_benches::criterion();
    targets = add, relu, functions, conversions, transposed, channels_last
}
criterion_main!(maps);

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

fn shape(extents: &[i64]) -> Geometry {
    Geometry::contiguous(Shape::new(extents).expect("a small shape"))
}

fn view<T: Element>(elements: &[T], geometry: Geometry) -> AnyView<'_> {
    View::new(elements, geometry).expect("a geometry that fits").into()
}

fn view_mut<T: Element>(elements: &mut [T], geometry: Geometry) -> AnyViewMut<'_> {
    ViewMut::new(elements, geometry).expect("a geometry that fits").into()
}

/// A copy of as many bytes as are moved.
fn memcpy(group: &mut BenchmarkGroup<'_, WallTime>, size: &str, moved: usize) {
    let from = Aligned::new(vec![1_u8; moved / 2]);
    let mut to = Aligned::new(vec![0_u8; moved / 2]);
    group.bench_function(BenchmarkId::new("memcpy", size), |bencher| {
        bencher.iter(|| black_box(&mut *to).copy_from_slice(black_box(&from)));
    });
}

fn add(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("map_add");
    for (count, size) in COUNTS {
        let (a, b) = (Aligned::new(floats(count)), Aligned::new(floats(count)));
        let mut result = Aligned::new(vec![0.0; count]);
        let geometry = shape(&[count as i64]);
        group.throughput(Throughput::Bytes(count as u64 * 12));
        for (name, kernels) in ours() {
            let (a, b) = (view(&a, geometry), view(&b, geometry));
            let mut result = view_mut(&mut result, geometry);
            group.bench_function(BenchmarkId::new(name, size), |bencher| {
                bencher.iter(|| kernels.binary(&map::Add, black_box(&a), black_box(&b), &mut result));
            });
        }
        if hand::is_available() {
            group.bench_function(BenchmarkId::new("hand", size), |bencher| {
                bencher.iter(|| hand::add(black_box(&a), black_box(&b), black_box(&mut result)));
            });
        }
        let (a, b) = (Array1::from_vec(a.to_vec()), Array1::from_vec(b.to_vec()));
        let mut result = Array1::zeros(count);
        group.bench_function(BenchmarkId::new("ndarray", size), |bencher| {
            bencher.iter(|| {
                let operands = ndarray::Zip::from(&mut result).and(black_box(&a)).and(black_box(&b));
                operands.for_each(|result: &mut f32, a, b| *result = a + b);
            });
        });
        memcpy(&mut group, size, count * 12);
    }
    group.finish();
}

fn relu(criterion: &mut Criterion) {
    unary(criterion, "map_relu", &map::Relu, |x| if x > 0.0 { x } else { 0.0 }, Some(hand::relu));
}

fn functions(criterion: &mut Criterion) {
    unary(criterion, "map_exp", &map::Exp, f32::exp, None);
    unary(criterion, "map_tanh", &map::Tanh, f32::tanh, None);
    unary(criterion, "map_sigmoid", &map::Sigmoid, |x| 1.0 / (1.0 + (-x).exp()), None);
    unary(criterion, "map_gelu_tanh", &map::GeluTanh, gelu_tanh, None);
    unary(criterion, "map_log", &map::Log, f32::ln, None);
    unary(criterion, "map_sin", &map::Sin, f32::sin, None);
    unary(criterion, "map_erf", &map::Erf, libm::erff, None);
    unary(criterion, "map_gelu", &map::Gelu, |x| 0.5 * x * (1.0 + libm::erff(x * 0.5_f32.sqrt())), None);
}

fn gelu_tanh(x: f32) -> f32 {
    0.5 * x * (1.0 + (0.797_884_6 * (x + 0.044_715 * x * x * x)).tanh())
}

/// A loop over slices of equal length.
type OnSlices = fn(&[f32], &mut [f32]);

/// Ours beside a plain loop and, where there is one, a loop written by hand.
fn unary(
    criterion: &mut Criterion,
    name: &str,
    operation: &dyn Unary,
    plain: impl Fn(f32) -> f32,
    by_hand: Option<OnSlices>,
) {
    let mut group = criterion.benchmark_group(name);
    for (count, size) in COUNTS {
        // From -4 to 4, where these functions do all their work.
        let x = Aligned::new((0..count).map(|index| (index % 4093) as f32 / 512.0 - 4.0).collect());
        let mut result = Aligned::new(vec![0.0; count]);
        let geometry = shape(&[count as i64]);
        group.throughput(Throughput::Bytes(count as u64 * 8));
        for (name, kernels) in ours() {
            let x = view(&x, geometry);
            let mut result = view_mut(&mut result, geometry);
            group.bench_function(BenchmarkId::new(name, size), |bencher| {
                bencher.iter(|| kernels.unary(operation, black_box(&x), &mut result));
            });
        }
        if let Some(by_hand) = by_hand.filter(|_| hand::is_available()) {
            group.bench_function(BenchmarkId::new("hand", size), |bencher| {
                bencher.iter(|| by_hand(black_box(&x), black_box(&mut result)));
            });
        }
        if count < 1 << 20 {
            group.bench_function(BenchmarkId::new("plain-loop", size), |bencher| {
                bencher.iter(|| {
                    for (x, result) in black_box(&x).iter().zip(&mut *result) {
                        *result = plain(*x);
                    }
                });
            });
        }
        memcpy(&mut group, size, count * 8);
    }
    group.finish();
}

fn conversions(criterion: &mut Criterion) {
    conversion(
        criterion,
        "kernel_f32_to_f16",
        |x| x,
        |x: &[f32], result: &mut [f16]| result.convert_from_f32_slice(x),
        |x, result| hand::narrow_f16(x, bytemuck::cast_slice_mut(result)),
    );
    conversion(
        criterion,
        "kernel_f16_to_f32",
        f16::from_f32,
        |x, result: &mut [f32]| x.convert_to_f32_slice(result),
        |x, result| hand::widen_f16(bytemuck::cast_slice(x), result),
    );
    conversion(
        criterion,
        "kernel_f32_to_bf16",
        |x| x,
        |x: &[f32], result: &mut [bf16]| result.convert_from_f32_slice(x),
        |x, result| hand::narrow_bf16(x, bytemuck::cast_slice_mut(result)),
    );
    conversion(
        criterion,
        "kernel_bf16_to_f32",
        bf16::from_f32,
        |x, result: &mut [f32]| x.convert_to_f32_slice(result),
        |x, result| hand::widen_bf16(bytemuck::cast_slice(x), result),
    );
}

fn conversion<S: Element, T: Element + Default>(
    criterion: &mut Criterion,
    name: &str,
    make: impl Fn(f32) -> S,
    peer: impl Fn(&[S], &mut [T]),
    by_hand: impl Fn(&[S], &mut [T]),
) {
    let mut group = criterion.benchmark_group(name);
    for (count, size) in COUNTS {
        let x = Aligned::new(floats(count).into_iter().map(&make).collect());
        let mut result = Aligned::new(vec![T::default(); count]);
        let geometry = shape(&[count as i64]);
        let moved = count * (size_of::<S>() + size_of::<T>());
        group.throughput(Throughput::Bytes(moved as u64));
        for (name, kernels) in ours() {
            let x = view(&x, geometry);
            let mut result = view_mut(&mut result, geometry);
            group.bench_function(BenchmarkId::new(name, size), |bencher| {
                bencher.iter(|| kernels.cast(black_box(&x), &mut result));
            });
        }
        if hand::is_available() {
            group.bench_function(BenchmarkId::new("hand", size), |bencher| {
                bencher.iter(|| by_hand(black_box(&x), black_box(&mut result)));
            });
        }
        group.bench_function(BenchmarkId::new("half", size), |bencher| {
            bencher.iter(|| peer(black_box(&x), black_box(&mut result)));
        });
        memcpy(&mut group, size, moved);
    }
    group.finish();
}

fn transposed(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("copy_transposed_2048x2048");
    let x = Aligned::new(floats(2048 * 2048));
    let mut result = Aligned::new(vec![0.0; 2048 * 2048]);
    let target = shape(&[2048, 2048]);
    let source = target.t().expect("a matrix");
    copies(&mut group, &x, source, &mut result, target);
    let peer = ArrayView2::from_shape((2048, 2048), &x).expect("as many elements");
    let mut target = ndarray::Array2::zeros((2048, 2048));
    group.bench_function("ndarray", |bencher| bencher.iter(|| target.assign(&black_box(&peer).t())));
    memcpy(&mut group, "", 2048 * 2048 * 8);
    group.finish();
}

fn channels_last(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("copy_nchw_to_nhwc_1x64x112x112");
    let x = Aligned::new(floats(64 * 112 * 112));
    let mut result = Aligned::new(vec![0.0; 64 * 112 * 112]);
    let source = shape(&[1, 64, 112, 112]).permute(&[0, 2, 3, 1]).expect("a permutation");
    copies(&mut group, &x, source, &mut result, shape(&[1, 112, 112, 64]));
    let peer = ArrayView3::from_shape((64, 112, 112), &x).expect("as many elements").permuted_axes([1, 2, 0]);
    let mut target = ndarray::Array3::zeros((112, 112, 64));
    group.bench_function("ndarray", |bencher| bencher.iter(|| target.assign(black_box(&peer))));
    memcpy(&mut group, "", 64 * 112 * 112 * 8);
    group.finish();
}

fn copies(group: &mut BenchmarkGroup<'_, WallTime>, x: &[f32], source: Geometry, result: &mut [f32], target: Geometry) {
    group.throughput(Throughput::Bytes(x.len() as u64 * 8));
    for (name, kernels) in ours() {
        let x = view(x, source);
        let mut result = view_mut(result, target);
        group.bench_function(name, |bencher| bencher.iter(|| kernels.copy(black_box(&x), &mut result)));
    }
}
