//! Views, copies, casts and layout changes of tensors, beside ndarray and a copy of the same bytes.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ndarray::{Array2, Array4, ArrayD, IxDyn, s};
use stratal_tensor::{
    Tensor,
    base::{ChannelBlock, DType, Layout},
};

criterion_group! {
    name = tensor;
    config = stratal_benches::criterion();
    targets = view, copy, layout, cast
}
criterion_main!(tensor);

fn zeros(extents: &[i64]) -> Tensor {
    let tensor = Tensor::zeros(extents, DType::F32).expect("memory for it");
    tensor.fill(1).expect("a new tensor can be written");
    tensor
}

fn view(criterion: &mut Criterion) {
    let tensor = zeros(&[8, 64, 56, 56]);
    let array = ArrayD::<f32>::zeros(IxDyn(&[8, 64, 56, 56]));
    let mut group = criterion.benchmark_group("tensor_view");
    let mut measure = |name: &str, ours: &dyn Fn(&Tensor) -> bool, peer: &dyn Fn(&ArrayD<f32>) -> usize| {
        group.bench_function(BenchmarkId::new("stratal", name), |bencher| bencher.iter(|| ours(black_box(&tensor))));
        group.bench_function(BenchmarkId::new("ndarray", name), |bencher| bencher.iter(|| peer(black_box(&array))));
    };
    measure("transpose", &|tensor| black_box(tensor.transpose(1, 2)).is_ok(), &|array| {
        let mut view = array.view();
        view.swap_axes(1, 2);
        black_box(view).ndim()
    });
    measure("slice", &|tensor| black_box(tensor.slice(1, Some(3), Some(-1), 2)).is_ok(), &|array| {
        black_box(array.slice_axis(ndarray::Axis(1), ndarray::Slice::new(3, Some(-1), 2))).ndim()
    });
    measure("select", &|tensor| black_box(tensor.select(0, 1)).is_ok(), &|array| {
        black_box(array.index_axis(ndarray::Axis(0), 1)).ndim()
    });
    measure("reshape", &|tensor| black_box(tensor.reshape(&[8, 64, 3136])).is_ok(), &|array| {
        black_box(array.view().into_shape_with_order(IxDyn(&[8, 64, 3136]))).map_or(0, |view| view.ndim())
    });
    group.finish();
}

fn copy(criterion: &mut Criterion) {
    let (extent, bytes) = (2048, 2 * 4 * 2048 * 2048);
    let (source, target) = (zeros(&[extent, extent]), zeros(&[extent, extent]));
    let turned = source.t().expect("a matrix");
    let array = Array2::<f32>::ones((extent as usize, extent as usize));
    let mut assigned = array.clone();
    let mut group = criterion.benchmark_group("copy_2048x2048");
    group.throughput(Throughput::Bytes(bytes));
    for (name, ours) in [("contiguous", &source), ("transposed", &turned)] {
        group.bench_function(BenchmarkId::new("stratal", name), |bencher| {
            bencher.iter(|| target.copy_from(black_box(ours)))
        });
    }
    group.bench_function(BenchmarkId::new("ndarray", "contiguous"), |bencher| {
        bencher.iter(|| assigned.assign(black_box(&array)));
    });
    group.bench_function(BenchmarkId::new("ndarray", "transposed"), |bencher| {
        bencher.iter(|| assigned.assign(&black_box(&array).t()));
    });
    let (from, mut to) = (vec![1_u8; bytes as usize / 2], vec![0_u8; bytes as usize / 2]);
    for name in ["contiguous", "transposed"] {
        group.bench_function(BenchmarkId::new("memcpy", name), |bencher| {
            bencher.iter(|| black_box(&mut to).copy_from_slice(black_box(&from)));
        });
    }
    group.finish();
}

fn layout(criterion: &mut Criterion) {
    let image = zeros(&[1, 64, 112, 112]);
    let nhwc = image.to_layout(Layout::Nhwc).expect("an image");
    let array = Array4::<f32>::ones((1, 64, 112, 112));
    let mut assigned = Array4::<f32>::zeros((1, 112, 112, 64));
    let bytes = image.count() * 4;
    let mut group = criterion.benchmark_group("layout_1x64x112x112");
    group.throughput(Throughput::Bytes(2 * bytes as u64));
    group.bench_function(BenchmarkId::new("stratal", "nchw_to_nhwc"), |bencher| {
        bencher.iter(|| nhwc.copy_from(black_box(&image)));
    });
    group.bench_function(BenchmarkId::new("stratal", "nhwc_to_nchw"), |bencher| {
        bencher.iter(|| image.copy_from(black_box(&nhwc)));
    });
    group.bench_function(BenchmarkId::new("stratal", "nchw_to_blocked16"), |bencher| {
        bencher.iter(|| black_box(&image).to_layout(Layout::NchwBlocked(ChannelBlock::Sixteen)));
    });
    group.bench_function(BenchmarkId::new("ndarray", "nchw_to_nhwc"), |bencher| {
        bencher.iter(|| assigned.assign(&black_box(&array).view().permuted_axes([0, 2, 3, 1])));
    });
    let (from, mut to) = (vec![1_u8; bytes], vec![0_u8; bytes]);
    for name in ["nchw_to_nhwc", "nhwc_to_nchw", "nchw_to_blocked16"] {
        group.bench_function(BenchmarkId::new("memcpy", name), |bencher| {
            bencher.iter(|| black_box(&mut to).copy_from_slice(black_box(&from)));
        });
    }
    group.finish();
}

fn cast(criterion: &mut Criterion) {
    let tensor = zeros(&[1 << 20]);
    let array = Array2::<f32>::ones((1 << 10, 1 << 10));
    let mut group = criterion.benchmark_group("cast_1Mi");
    for dtype in [DType::F64, DType::I32, DType::U8, DType::BF16] {
        group.bench_function(BenchmarkId::new("stratal", dtype), |bencher| {
            bencher.iter(|| black_box(&tensor).cast(dtype))
        });
    }
    group.bench_function(BenchmarkId::new("ndarray", DType::F64), |bencher| {
        bencher.iter(|| black_box(&array).mapv(f64::from))
    });
    group.bench_function(BenchmarkId::new("ndarray", DType::I32), |bencher| {
        bencher.iter(|| black_box(&array).mapv(|value| value as i32));
    });
    group.bench_function(BenchmarkId::new("ndarray", DType::U8), |bencher| {
        bencher.iter(|| black_box(&array).slice(s![.., ..]).mapv(|value| value as u8));
    });
    group.finish();
}
