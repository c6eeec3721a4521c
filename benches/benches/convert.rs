//! Slices between f32 and the 16-bit floats: ours, the `half` crate's, and a copy of the same bytes.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use half::slice::HalfFloatSliceExt;
use stratal_benches::{SIZES, floats};
use stratal_tensor_base::{CastError, bf16, f16, half_slices};

criterion_group! {
    name = convert;
    config = stratal_benches::criterion();
    targets = f32_to_f16, f16_to_f32, f32_to_bf16, bf16_to_f32
}
criterion_main!(convert);

fn f32_to_f16(criterion: &mut Criterion) {
    let peer = |source: &[f32], target: &mut [f16]| target.convert_from_f32_slice(source);
    compare(criterion, "f32_to_f16", |value| value, half_slices::f32_to_f16_slice, peer);
}

fn f16_to_f32(criterion: &mut Criterion) {
    let peer = |source: &[f16], target: &mut [f32]| source.convert_to_f32_slice(target);
    compare(criterion, "f16_to_f32", f16::from_f32, half_slices::f16_to_f32_slice, peer);
}

fn f32_to_bf16(criterion: &mut Criterion) {
    let peer = |source: &[f32], target: &mut [bf16]| target.convert_from_f32_slice(source);
    compare(criterion, "f32_to_bf16", |value| value, half_slices::f32_to_bf16_slice, peer);
}

fn bf16_to_f32(criterion: &mut Criterion) {
    let peer = |source: &[bf16], target: &mut [f32]| source.convert_to_f32_slice(target);
    compare(criterion, "bf16_to_f32", bf16::from_f32, half_slices::bf16_to_f32_slice, peer);
}

/// Measures ours, the peer, and a copy that reads and writes as many bytes in all as the conversion does.
fn compare<S: Copy + Default, T: Copy + Default>(
    criterion: &mut Criterion,
    name: &str,
    make: impl Fn(f32) -> S,
    ours: impl Fn(&[S], &mut [T]) -> Result<(), CastError>,
    peer: impl Fn(&[S], &mut [T]),
) {
    let mut group = criterion.benchmark_group(name);
    for (bytes, size) in SIZES {
        let count = bytes / size_of::<f32>();
        let source: Vec<S> = floats(count).into_iter().map(&make).collect();
        let mut target = vec![T::default(); count];
        let moved = count * (size_of::<S>() + size_of::<T>());
        group.throughput(Throughput::Bytes(moved as u64));
        group.bench_function(BenchmarkId::new("stratal", size), |bencher| {
            bencher.iter(|| ours(black_box(&source), black_box(&mut target)));
        });
        group.bench_function(BenchmarkId::new("half", size), |bencher| {
            bencher.iter(|| peer(black_box(&source), black_box(&mut target)));
        });
        let from = vec![1_u8; moved / 2];
        let mut to = vec![0_u8; moved / 2];
        group.bench_function(BenchmarkId::new("memcpy", size), |bencher| {
            bencher.iter(|| black_box(&mut to).copy_from_slice(black_box(&from)));
        });
    }
    group.finish();
}
