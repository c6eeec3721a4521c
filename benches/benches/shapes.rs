//! The arithmetic of shapes and views: nanoseconds, since every tensor operation pays it.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use stratal_tensor_base::{Geometry, Layout, Shape, Walk};

criterion_group! {
    name = shapes;
    config = stratal_benches::criterion();
    targets = make, view, walk
}
criterion_main!(shapes);

fn make(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("make_shape");
    for extents in [&[1024_i64][..], &[8, 64, 56, 56], &[2, 3, 2, 3, 2, 3, 2, 3]] {
        let name = format!("rank{}", extents.len());
        group.bench_function(BenchmarkId::new("stratal", &name), |bencher| {
            bencher.iter(|| Shape::new(black_box(extents)));
        });
        // What a shape on the heap costs before it is checked.
        group.bench_function(BenchmarkId::new("vec", &name), |bencher| {
            bencher.iter(|| black_box(extents).to_vec());
        });
    }
    group.finish();

    let extents = [8, 64, 56, 56];
    let shape = Shape::new(&extents).expect("within the limits");
    criterion.bench_function("make_geometry/stratal/rank4", |bencher| {
        bencher.iter(|| Geometry::contiguous(black_box(shape)));
    });
}

fn view(criterion: &mut Criterion) {
    let shape = Shape::new(&[8, 64, 56, 56]).expect("within the limits");
    let flat = Shape::new(&[8, 64, 3136]).expect("within the limits");
    let image = Geometry::contiguous(shape);
    let mut group = criterion.benchmark_group("view");
    let mut measure = |name: &str, view: &dyn Fn(&Geometry) -> bool| {
        group.bench_function(BenchmarkId::new("stratal", name), |bencher| {
            bencher.iter(|| view(black_box(&image)));
        });
    };
    measure("transpose", &|image| black_box(image.transpose(1, 2)).is_ok());
    measure("permute", &|image| black_box(image.permute(&[0, 2, 3, 1])).is_ok());
    measure("slice", &|image| black_box(image.slice(1, Some(3), Some(-1), 2)).is_ok());
    measure("select", &|image| black_box(image.select(0, -1)).is_ok());
    measure("reshape", &|image| black_box(image.try_reshape(&flat)).is_some());
    measure("is_contiguous", &|image| image.is_contiguous());
    measure("layout", &|image| image.layout() == Layout::Nchw);
    measure("may_overlap", &|image| image.may_overlap());
    group.finish();
}

fn walk(criterion: &mut Criterion) {
    let shape = Shape::new(&[8, 64, 56, 56]).expect("within the limits");
    let target = Geometry::contiguous(shape);
    let source = Geometry::image(shape, Layout::Nhwc).expect("an image");
    let mut group = criterion.benchmark_group("walk");
    group.bench_function(BenchmarkId::new("stratal", "plan"), |bencher| {
        bencher.iter(|| Walk::new([black_box(&target), black_box(&source)]));
    });
    let walk = Walk::new([&target, &source]).expect("one shape");
    group.bench_function(BenchmarkId::new("stratal", format!("{}_runs", walk.run_count())), |bencher| {
        bencher.iter(|| black_box(&walk).runs().fold(0_usize, |sum, [a, b]| sum.wrapping_add(a ^ b)));
    });
    group.finish();
}
