//! What people read: every error text, and how the types print.

use std::fmt::Write;

use stratal_tensor_base::{
    BlockedImage, Bool, ChannelBlock, DType, Device, Error, Geometry, Layout, Scalar, Shape, Strides, Walk, cast_slice,
    try_cast,
};

/// One line for each attempt: what was tried, and what the error says.
fn refusals(attempts: &[(&str, Result<(), Error>)]) -> String {
    let mut text = String::new();
    for (attempt, result) in attempts {
        let error = result.expect_err(attempt);
        writeln!(text, "{attempt}\n    {error}").unwrap();
    }
    text
}

/// Lists `expression` as text beside the error it gives.
macro_rules! attempts {
    ($($expression:expr),+ $(,)?) => {
        refusals(&[$(
            (stringify!($expression), $expression.map(|_| ()).map_err(Error::from))
        ),+])
    };
}

#[test]
fn errors_of_names() {
    let text = attempts![
        "float".parse::<DType>(),
        "a name that goes on for longer than anyone would read".parse::<DType>(),
        DType::from_numpy(">f4"),
        DType::from_onnx(8),
        DType::from_onnx(99),
        DType::F32.check_reinterpret(DType::F64),
        DType::U8.check_reinterpret(DType::Bool),
        "metal".parse::<Device>(),
        "cpu:1".parse::<Device>(),
        "cuda:01".parse::<Device>(),
    ];
    insta::assert_snapshot!(text);
}

#[test]
fn errors_of_shapes() {
    let shape = Shape::new(&[2, 3]).unwrap();
    let four = Shape::new(&[4]).unwrap();
    let many = Shape::new(&[2_000_000_000]).unwrap();
    let text = attempts![
        Shape::new(&[1; 9]),
        Shape::new(&[2, -3]),
        Shape::new(&[2, 1 << 31]),
        Shape::try_from(&[usize::MAX][..]),
        Shape::new(&[100_000, 100_000, 0]),
        many.bytes(DType::F32),
        shape.broadcast(&four),
        shape.reshaped(&[4, 2]),
        shape.reshaped(&[-1, 4]),
        shape.reshaped(&[-1, -1]),
        shape.reshaped(&[0, -1]),
        shape.reshaped(&[-2, 3]),
        shape.axis(2),
        Walk::new([&Geometry::contiguous(shape), &Geometry::contiguous(four)]),
    ];
    insta::assert_snapshot!(text);
}

#[test]
fn errors_of_views() {
    let shape = Shape::new(&[2, 3]).unwrap();
    let matrix = Geometry::contiguous(shape);
    let text = attempts![
        matrix.permute(&[0]),
        matrix.permute(&[0, 0]),
        matrix.permute(&[0, 5]),
        matrix.permute(&[7; 12]),
        matrix.transpose(0, 2),
        matrix.squeeze(&[1]),
        matrix.unsqueeze(4),
        matrix.expand(&[2, 4]),
        matrix.expand(&[3]),
        matrix.expand(&[-1, 2, 3]),
        matrix.diagonal(0, 1, -1),
        matrix.slice(0, None, None, 0),
        matrix.narrow(1, 2, 2),
        matrix.select(1, -4),
        matrix.offset_of(&[1, 3]),
        matrix.offset_of(&[1]),
        matrix.flip(&[0, -2]),
        matrix.split(1, &[1, 1]),
        matrix.split_every(1, 0),
        matrix.chunk(1, -2),
        matrix.unfold(1, 4, 1),
        Geometry::strided(shape, &[1], 0, 6),
        Geometry::strided(shape, &[1 << 40, 1], 0, 6),
        Geometry::strided(shape, &[3, -1], 0, 6),
        Geometry::window(shape, DType::F32, 2, 100),
        Geometry::window(shape, DType::F32, 4, 24),
        matrix.check_bounds(5),
        Geometry::image(shape, Layout::Nhwc),
        Geometry::image(Shape::new(&[1; 4]).unwrap(), Layout::Strided),
        BlockedImage::new(shape, ChannelBlock::Eight),
    ];
    insta::assert_snapshot!(text);
}

#[test]
fn errors_of_casts() {
    let text = attempts![
        try_cast::<f32, i8>(f32::NAN),
        try_cast::<f32, i8>(-1e9),
        try_cast::<f64, u64>(f64::INFINITY),
        try_cast::<i64, u8>(-1),
        try_cast::<Bool, f32>(Bool::TRUE),
        cast_slice::<f32, i8>(&[1.0, 2.0], &mut [0; 3]),
    ];
    insta::assert_snapshot!(text);
}

#[test]
fn types_print_as_people_write_them() {
    let image = Shape::new(&[2, 3, 4, 5]).unwrap();
    let view = Geometry::image(image, Layout::Nhwc).unwrap().flip(&[3]).unwrap();
    let blocked = BlockedImage::new(image, ChannelBlock::Sixteen).unwrap();
    let mut text = String::new();
    writeln!(text, "{image} {image:?} {}", Shape::SCALAR).unwrap();
    writeln!(text, "{view:?}").unwrap();
    writeln!(text, "{:?}", Strides::contiguous(&image)).unwrap();
    writeln!(text, "{blocked:?} {} {} {}", blocked.layout(), Layout::Nchw, Layout::Strided).unwrap();
    writeln!(text, "{:>10}|{:<6}|{}", DType::BF16, Device::Cpu, Device::Cuda(3)).unwrap();
    writeln!(text, "{:?} {}", Scalar::from(0.1_f32), Scalar::from(Bool::from_byte(9))).unwrap();
    insta::assert_snapshot!(text);
}
