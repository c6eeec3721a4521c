//! Shapes, geometries and their errors live on the stack: sizes are bounded and nothing is allocated.

use std::hint::black_box;

use allocation_counter::measure;
use stratal_tensor_base::{
    CastError, DType, DTypeError, Device, DeviceError, Error, Geometry, Shape, ShapeError, Strides, ViewError, Walk,
    cast_slice, f16, half_slices, try_cast_slice,
};

fn assert_no_heap(what: &str, action: impl FnOnce()) {
    let allocations = measure(action).count_total;
    assert_eq!(allocations, 0, "{what}");
}

#[test]
fn the_types_are_small_and_copied() {
    fn is_copy<T: Copy + Send + Sync + 'static>() {}
    is_copy::<Shape>();
    is_copy::<Strides>();
    is_copy::<Geometry>();
    is_copy::<Walk<3>>();
    assert!(size_of::<Shape>() <= 40);
    assert!(size_of::<Strides>() <= 32);
    assert!(size_of::<Geometry>() <= 80);
}

#[test]
fn errors_are_values_of_bounded_size() {
    fn is_error<T: std::error::Error + Copy + Send + Sync + 'static>() {}
    is_error::<Error>();
    is_error::<DTypeError>();
    is_error::<DeviceError>();
    is_error::<ShapeError>();
    is_error::<ViewError>();
    is_error::<CastError>();
    assert!(size_of::<Error>() < 128);
}

#[test]
fn the_counter_counts() {
    assert_eq!(measure(|| drop(black_box(vec![1]))).count_total, 1);
}

#[test]
fn shapes_and_views_allocate_nothing() {
    assert_no_heap("shapes and views", || {
        let shape = Shape::new(black_box(&[2, 3, 4, 5])).unwrap();
        let geometry = Geometry::contiguous(shape);
        let view = geometry.permute(&[3, 1, 2, 0]).unwrap().slice(0, None, None, -2).unwrap();
        let view = view.unfold(1, 2, 1).unwrap().select(0, 1).unwrap().unsqueeze(-1).unwrap();
        let view = view.expand(&[-1, -1, -1, -1, 7]).unwrap();
        black_box(view.offsets().sum::<usize>());
        black_box(geometry.try_reshape(&shape.reshaped(&[6, -1]).unwrap()));
        black_box(geometry.split(2, &[1, 3]).unwrap().count() + geometry.chunk(3, 2).unwrap().count());
        black_box(Walk::new([&geometry, &geometry]).unwrap().runs().count());
        black_box(shape.broadcast(&Shape::new(&[5]).unwrap()).unwrap());
        black_box(geometry.layout());
    });
}

#[test]
fn errors_allocate_nothing() {
    let hostile = [i64::MAX; 100];
    let long_name = "no such name ".repeat(100);
    assert_no_heap("errors", || {
        let shape = Shape::new(&[2, 3]).unwrap();
        let geometry = Geometry::contiguous(shape);
        black_box(Shape::new(black_box(&hostile)).unwrap_err());
        black_box(Shape::new(&hostile[..3]).unwrap_err());
        black_box(shape.reshaped(&hostile).unwrap_err());
        black_box(shape.reshaped(&[-1, -1]).unwrap_err());
        black_box(geometry.permute(&hostile).unwrap_err());
        black_box(geometry.expand(&hostile).unwrap_err());
        black_box(geometry.offset_of(&hostile).unwrap_err());
        assert!(geometry.split(0, &hostile).is_err());
        black_box(long_name.parse::<DType>().unwrap_err());
        black_box(long_name.parse::<Device>().unwrap_err());
        black_box(DType::from_onnx(i64::MIN).unwrap_err());
    });
}

#[test]
fn conversions_allocate_nothing() {
    let source = [1.5_f32; 100];
    let mut narrowed = [f16::ZERO; 100];
    let mut integers = [0_i8; 100];
    assert_no_heap("conversions", || {
        half_slices::f32_to_f16_slice(&source, &mut narrowed).unwrap();
        cast_slice(&source, &mut integers).unwrap();
        try_cast_slice(&[f32::NAN], &mut integers[..1]).unwrap_err();
    });
}
