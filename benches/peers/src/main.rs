//! Conversions beside peers that are heavy to build: rten's vector code and candle's tensors.
//!
//! `cargo run --release --manifest-path benches/peers/Cargo.toml` from the repository's root; a filter may follow `--`.

use std::{hint::black_box, time::Duration};

use candle_core::{DType, Device, Tensor};
use criterion::{BenchmarkId, Criterion, Throughput};
use half::{bf16, f16};
use rten_simd::SimdOp;
use rten_vecmath::{F16ToF32, F32ToF16};
use stratal_tensor_base::half_slices;

/// Elements in the first-level cache, in the second, in memory.
const COUNTS: [(usize, &str); 3] = [(1 << 10, "4KiB"), (1 << 16, "256KiB"), (1 << 24, "64MiB")];

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .sample_size(20)
        .without_plots()
        .configure_from_args();
    for (count, size) in COUNTS {
        let floats: Vec<f32> = (0..count).map(|index| (index as f32 - 1000.0) * 0.37).collect();
        let halves: Vec<f16> = floats.iter().map(|value| f16::from_f32(*value)).collect();
        let brains: Vec<bf16> = floats.iter().map(|value| bf16::from_f32(*value)).collect();
        let tensor = Tensor::from_slice(&floats, count, &Device::Cpu).expect("a tensor of floats");

        let mut narrow = vec![f16::ZERO; count];
        let mut group = criterion.benchmark_group("f32_to_f16");
        group.throughput(Throughput::Bytes(count as u64 * 6));
        group.bench_function(BenchmarkId::new("stratal", size), |bencher| {
            bencher.iter(|| half_slices::f32_to_f16_slice(black_box(&floats), black_box(&mut narrow)));
        });
        let mut spare: Vec<f16> = Vec::with_capacity(count);
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

        let mut wide = vec![0.0_f32; count];
        let mut group = criterion.benchmark_group("f16_to_f32");
        group.throughput(Throughput::Bytes(count as u64 * 6));
        group.bench_function(BenchmarkId::new("stratal", size), |bencher| {
            bencher.iter(|| half_slices::f16_to_f32_slice(black_box(&halves), black_box(&mut wide)));
        });
        let mut spare: Vec<f32> = Vec::with_capacity(count);
        group.bench_function(BenchmarkId::new("rten", size), |bencher| {
            bencher.iter(|| {
                let target = &mut spare.spare_capacity_mut()[..count];
                black_box(F16ToF32::new(black_box(&halves), target).dispatch().len())
            });
        });
        group.finish();

        let mut narrow = vec![bf16::ZERO; count];
        let mut group = criterion.benchmark_group("f32_to_bf16");
        group.throughput(Throughput::Bytes(count as u64 * 6));
        group.bench_function(BenchmarkId::new("stratal", size), |bencher| {
            bencher.iter(|| half_slices::f32_to_bf16_slice(black_box(&floats), black_box(&mut narrow)));
        });
        group.bench_function(BenchmarkId::new("candle", size), |bencher| {
            bencher.iter(|| black_box(&tensor).to_dtype(DType::BF16));
        });
        group.finish();

        let mut group = criterion.benchmark_group("bf16_to_f32");
        group.throughput(Throughput::Bytes(count as u64 * 6));
        group.bench_function(BenchmarkId::new("stratal", size), |bencher| {
            bencher.iter(|| half_slices::bf16_to_f32_slice(black_box(&brains), black_box(&mut wide)));
        });
        group.finish();
    }
    criterion.final_summary();
}
