//! Functions, conversions, views, copies and products beside peers that are heavy to build: rten's vector code, candle's
//! tensors and training, the gemm crate.
//!
//! `cargo run --release --manifest-path benches/peers/Cargo.toml -- --bench` from the repository's root; a filter may
//! follow. Without `--bench` each runs once, unmeasured.

#[path = "../../../crates/stratal/examples/digits/data.rs"]
#[expect(dead_code, reason = "shared with the examples")]
mod data;
mod products;
#[path = "../../../crates/stratal/examples/digits_convolution/shuffle.rs"]
mod shuffle;
mod training;

use std::{hint::black_box, time::Duration};

use candle_core::{DType, Device, Tensor as CandleTensor};
use criterion::{BenchmarkId, Criterion, Throughput};
use half::{bf16, f16};
use rten_simd::{SimdOp, SimdUnaryOp};
use rten_vecmath::{F16ToF32, F32ToF16};
use stratal_kernels::map::{self, Unary};
use stratal_kernels::{AnyView, AnyViewMut, Centre, Normalization, Saved, Selection, Softmax, Threads, reduce};
use stratal_tensor::{Tensor, View, ViewMut};
use stratal_tensor_base::{Geometry, Shape, half_slices};

/// Elements in the first-level cache, in the second, in memory.
const COUNTS: [(usize, &str); 3] = [(1 << 10, "4KiB"), (1 << 16, "256KiB"), (1 << 24, "64MiB")];

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .sample_size(20)
        .without_plots()
        .configure_from_args();
    functions(&mut criterion);
    softmax(&mut criterion);
    layer_norm(&mut criterion);
    sum(&mut criterion);
    narrow(&mut criterion);
    widen(&mut criterion);
    view(&mut criterion);
    copy(&mut criterion);
    products::all(&mut criterion);
    training::all(&mut criterion);
    criterion.final_summary();
}

fn floats(count: usize) -> Vec<f32> {
    (0..count).map(|index| (index as f32 - 1000.0) * 0.37).collect()
}

fn functions(criterion: &mut Criterion) {
    function(criterion, "exp", &map::Exp, &rten_vecmath::Exp::default());
    function(criterion, "sigmoid", &map::Sigmoid, &rten_vecmath::Sigmoid {});
    function(criterion, "tanh", &map::Tanh, &rten_vecmath::Tanh {});
    function(criterion, "erf", &map::Erf, &rten_vecmath::Erf {});
    function(criterion, "gelu", &map::Gelu, &rten_vecmath::Gelu {});
    function(criterion, "gelu_tanh", &map::GeluTanh, &rten_vecmath::ApproxGelu {});
    function(criterion, "silu", &map::Silu, &rten_vecmath::Silu {});
}

/// On one thread; ours through the seam, with the cost of a call.
fn function(criterion: &mut Criterion, name: &str, ours: &dyn Unary, peer: &impl SimdUnaryOp<f32>) {
    let kernels = Selection::new().threads(Threads::calling()).kernels().expect("kernels of this machine");
    let mut group = criterion.benchmark_group(format!("map_{name}"));
    for (count, size) in COUNTS {
        let x: Vec<f32> = (0..count).map(|index| (index % 4093) as f32 / 512.0 - 4.0).collect();
        let mut result = vec![0.0_f32; count];
        let geometry = Geometry::contiguous(Shape::new(&[count as i64]).expect("a small shape"));
        group.throughput(Throughput::Bytes(count as u64 * 8));
        let view: AnyView<'_> = View::new(&x[..], geometry).expect("the slice's geometry").into();
        let mut target: AnyViewMut<'_> = ViewMut::new(&mut result[..], geometry).expect("the slice's geometry").into();
        group.bench_function(BenchmarkId::new("stratal", size), |bencher| {
            bencher.iter(|| kernels.unary(ours, black_box(&view), &mut target));
        });
        let mut spare = Vec::with_capacity(count);
        group.bench_function(BenchmarkId::new("rten", size), |bencher| {
            bencher.iter(|| black_box(peer.map(black_box(&x), &mut spare.spare_capacity_mut()[..count]).len()));
        });
    }
    group.finish();
}

/// Rows, and elements of each.
const ROWS: [(usize, usize); 5] = [(1, 64), (1, 1024), (64, 64), (32, 1024), (1024, 1024)];

fn rows_of(rows: usize, columns: usize) -> (Vec<f32>, Geometry, String) {
    let x = (0..rows * columns).map(|index| (index % 4093) as f32 / 512.0 - 4.0).collect();
    let shape = Shape::new(&[rows as i64, columns as i64]).expect("a small shape");
    (x, Geometry::contiguous(shape), format!("{rows}x{columns}"))
}

fn softmax(criterion: &mut Criterion) {
    let kernels = Selection::new().threads(Threads::calling()).kernels().expect("kernels of this machine");
    let mut group = criterion.benchmark_group("softmax_rows");
    for (rows, columns) in ROWS {
        let (x, geometry, size) = rows_of(rows, columns);
        let mut result = vec![0.0_f32; x.len()];
        let view: AnyView<'_> = View::new(&x[..], geometry).expect("the slice's geometry").into();
        let mut target: AnyViewMut<'_> = ViewMut::new(&mut result[..], geometry).expect("the slice's geometry").into();
        group.bench_function(BenchmarkId::new("stratal", &size), |bencher| {
            bencher.iter(|| kernels.softmax(&Softmax::along(1), black_box(&view), &mut target));
        });
        let mut spare = Vec::with_capacity(x.len());
        group.bench_function(BenchmarkId::new("rten", &size), |bencher| {
            bencher.iter(|| {
                let target = &mut spare.spare_capacity_mut()[..x.len()];
                for (x, target) in black_box(&x).chunks(columns).zip(target.chunks_mut(columns)) {
                    black_box(rten_vecmath::Softmax::new(x, target).dispatch().len());
                }
            });
        });
    }
    group.finish();
}

fn layer_norm(criterion: &mut Criterion) {
    let kernels = Selection::new().threads(Threads::calling()).kernels().expect("kernels of this machine");
    let mut group = criterion.benchmark_group("norm_layer");
    for (rows, columns) in ROWS {
        let (x, geometry, size) = rows_of(rows, columns);
        let (scale, bias) = (vec![1.5_f32; columns], vec![0.25_f32; columns]);
        let row = Geometry::contiguous(Shape::new(&[1, columns as i64]).expect("a small shape"));
        let row = row.broadcast_to(geometry.shape()).expect("a row for all rows");
        let mut result = vec![0.0_f32; x.len()];
        let view: AnyView<'_> = View::new(&x[..], geometry).expect("the slice's geometry").into();
        let scale_view: AnyView<'_> = View::new(&scale[..], row).expect("the slice's geometry").into();
        let bias_view: AnyView<'_> = View::new(&bias[..], row).expect("the slice's geometry").into();
        let mut target: AnyViewMut<'_> = ViewMut::new(&mut result[..], geometry).expect("the slice's geometry").into();
        let operation = Normalization { centre: Centre::Mean, axes: &[1], epsilon: 1e-5 };
        group.bench_function(BenchmarkId::new("stratal", &size), |bencher| {
            bencher.iter(|| {
                let (scale, bias) = (Some(&scale_view), Some(&bias_view));
                kernels.normalize(&operation, black_box(&view), scale, bias, &mut target, Saved::default())
            });
        });
        let mut spare = Vec::with_capacity(x.len());
        group.bench_function(BenchmarkId::new("rten", &size), |bencher| {
            bencher.iter(|| {
                let target = &mut spare.spare_capacity_mut()[..x.len()];
                for (x, target) in black_box(&x).chunks(columns).zip(target.chunks_mut(columns)) {
                    // As rten's own operator does: mean, variance, then one pass with scale and bias.
                    let mean = rten_vecmath::Sum::new(x).dispatch() / columns as f32;
                    let variance = rten_vecmath::SumSquareSub::new(x, mean).dispatch() / columns as f32;
                    let options = rten_vecmath::NormalizeOptions {
                        pre_scale_bias: -mean,
                        scale: 1.0 / (variance + 1e-5).sqrt(),
                        element_scale: Some(&scale),
                        bias: 0.0,
                        element_bias: Some(&bias),
                    };
                    black_box(rten_vecmath::Normalize::new(x, target, options).dispatch().len());
                }
            });
        });
    }
    group.finish();
}

fn sum(criterion: &mut Criterion) {
    let kernels = Selection::new().threads(Threads::calling()).kernels().expect("kernels of this machine");
    let mut group = criterion.benchmark_group("reduce_sum");
    for (rows, columns) in [(1, 64), (64, 64), (256, 256), (4096, 4096)] {
        let (x, geometry, size) = rows_of(rows, columns);
        let mut result = [0.0_f32];
        let view: AnyView<'_> = View::new(&x[..], geometry).expect("the slice's geometry").into();
        let one = Geometry::contiguous(Shape::new(&[1, 1]).expect("a small shape"));
        let mut target: AnyViewMut<'_> = ViewMut::new(&mut result[..], one).expect("the slice's geometry").into();
        group.bench_function(BenchmarkId::new("stratal", &size), |bencher| {
            bencher.iter(|| kernels.reduce(&reduce::Sum, black_box(&view), &mut target));
        });
        group.bench_function(BenchmarkId::new("rten", &size), |bencher| {
            bencher.iter(|| rten_vecmath::Sum::new(black_box(&x)).dispatch());
        });
    }
    group.finish();
}

fn narrow(criterion: &mut Criterion) {
    for (count, size) in COUNTS {
        let floats = floats(count);
        let tensor = CandleTensor::from_slice(&floats, count, &Device::Cpu).expect("a tensor of floats");
        let mut group = criterion.benchmark_group("f32_to_f16");
        group.throughput(Throughput::Bytes(count as u64 * 6));
        let mut narrow = vec![f16::ZERO; count];
        group.bench_function(BenchmarkId::new("stratal", size), |bencher| {
            bencher.iter(|| half_slices::f32_to_f16_slice(black_box(&floats), black_box(&mut narrow)));
        });
        let mut spare = Vec::with_capacity(count);
        group.bench_function(BenchmarkId::new("rten", size), |bencher| {
            bencher.iter(|| {
                let target = &mut spare.spare_capacity_mut()[..count];
                black_box(F32ToF16::new(black_box(&floats), target).dispatch().len())
            });
        });
        group.bench_function(BenchmarkId::new("candle", size), |bencher| {
            bencher.iter(|| black_box(&tensor).to_dtype(DType::F16));
        });
        group.finish();

        let mut group = criterion.benchmark_group("f32_to_bf16");
        group.throughput(Throughput::Bytes(count as u64 * 6));
        let mut narrow = vec![bf16::ZERO; count];
        group.bench_function(BenchmarkId::new("stratal", size), |bencher| {
            bencher.iter(|| half_slices::f32_to_bf16_slice(black_box(&floats), black_box(&mut narrow)));
        });
        group.bench_function(BenchmarkId::new("candle", size), |bencher| {
            bencher.iter(|| black_box(&tensor).to_dtype(DType::BF16));
        });
        group.finish();
    }
}

fn widen(criterion: &mut Criterion) {
    for (count, size) in COUNTS {
        let halves: Vec<f16> = floats(count).into_iter().map(f16::from_f32).collect();
        let peers: Vec<rten_simd::f16> = halves.iter().map(|half| rten_simd::f16::from_bits(half.to_bits())).collect();
        let mut group = criterion.benchmark_group("f16_to_f32");
        group.throughput(Throughput::Bytes(count as u64 * 6));
        let mut wide = vec![0.0_f32; count];
        group.bench_function(BenchmarkId::new("stratal", size), |bencher| {
            bencher.iter(|| half_slices::f16_to_f32_slice(black_box(&halves), black_box(&mut wide)));
        });
        let mut spare = Vec::with_capacity(count);
        group.bench_function(BenchmarkId::new("rten", size), |bencher| {
            bencher.iter(|| {
                let target = &mut spare.spare_capacity_mut()[..count];
                black_box(F16ToF32::new(black_box(&peers), target).dispatch().len())
            });
        });
        group.finish();
    }
}

fn view(criterion: &mut Criterion) {
    let ours = Tensor::zeros(&[8, 64, 56, 56], stratal_tensor::base::DType::F32).expect("memory for it");
    let peer = CandleTensor::zeros((8, 64, 56, 56), DType::F32, &Device::Cpu).expect("memory for it");
    let mut group = criterion.benchmark_group("tensor_view");
    group.bench_function("stratal/transpose", |bencher| bencher.iter(|| black_box(&ours).transpose(1, 2)));
    group.bench_function("candle/transpose", |bencher| bencher.iter(|| black_box(&peer).transpose(1, 2)));
    group.bench_function("stratal/narrow", |bencher| bencher.iter(|| black_box(&ours).narrow(1, 3, 60)));
    group.bench_function("candle/narrow", |bencher| bencher.iter(|| black_box(&peer).narrow(1, 3, 60)));
    group.bench_function("stratal/reshape", |bencher| bencher.iter(|| black_box(&ours).reshape(&[8, 64, 3136])));
    group.bench_function("candle/reshape", |bencher| bencher.iter(|| black_box(&peer).reshape((8, 64, 3136))));
    group.finish();
}

fn copy(criterion: &mut Criterion) {
    let ours = Tensor::ones(&[2048, 2048], stratal_tensor::base::DType::F32).expect("memory for it");
    let peer = CandleTensor::ones((2048, 2048), DType::F32, &Device::Cpu).expect("memory for it");
    let (ours, peer) = (ours.t().expect("a matrix"), peer.t().expect("a matrix"));
    let mut group = criterion.benchmark_group("contiguous_of_transposed_2048x2048");
    group.bench_function("stratal", |bencher| bencher.iter(|| black_box(&ours).contiguous()));
    group.bench_function("candle", |bencher| bencher.iter(|| black_box(&peer).contiguous()));
    group.finish();
}
