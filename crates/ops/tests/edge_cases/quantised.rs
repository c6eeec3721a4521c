//! Quantised products at the extremes of bytes, zero points of groups, and rounding.

use stratal_tensor_base::DType;

use crate::every_way::{FLOATS, gives, is_same, plain, row, run, tensor, typed};

#[test]
fn products_of_extreme_bytes_do_not_saturate() {
    let product = |a: (DType, f64), b: (DType, f64), depth: usize| {
        let left = typed(a.0, &vec![a.1; depth], &[1, depth as i64]);
        let right = typed(b.0, &vec![b.1; depth], &[depth as i64, 1]);
        let expected = typed(DType::I32, &[a.1 * b.1 * depth as f64], &[1, 1]);
        gives("MatMulInteger", &plain(), &[&left, &right], &expected);
        let (image, filter) =
            (left.reshape(&[1, 1, depth as i64]).unwrap(), right.reshape(&[1, 1, depth as i64]).unwrap());
        gives("ConvInteger", &plain(), &[&image, &filter], &expected.reshape(&[1, 1, 1]).unwrap());
    };
    for depth in 1..=70 {
        product((DType::U8, 255.0), (DType::I8, 127.0), depth);
        product((DType::U8, 255.0), (DType::I8, -128.0), depth);
        product((DType::I8, -128.0), (DType::I8, -128.0), depth);
        product((DType::I8, -128.0), (DType::U8, 255.0), depth);
        product((DType::U8, 255.0), (DType::U8, 255.0), depth);
    }
    gives(
        "MatMulInteger",
        &plain(),
        &[&tensor(&[255_u8; 2], &[1, 2]), &tensor(&[127_i8; 2], &[2, 1])],
        &tensor(&[64_770], &[1, 1]),
    );
    gives(
        "MatMulInteger",
        &plain(),
        &[&tensor(&[255_u8; 8], &[1, 8]), &tensor(&[-128_i8; 8], &[8, 1])],
        &tensor(&[-261_120], &[1, 1]),
    );
}

#[test]
fn matrices_of_extreme_bytes_are_multiplied_exactly() {
    let (rows, depth, columns) = (9_usize, 37, 35);
    let left: Vec<_> = (0..rows * depth).map(|i| if i % 5 == 0 { 0_u8 } else { 255 }).collect();
    let right: Vec<_> = (0..depth * columns).map(|i| if i % 3 == 0 { 127_i8 } else { -128 }).collect();
    let mut expected = Vec::new();
    for (i, j) in (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))) {
        let term = |k| (i32::from(left[i * depth + k]) - 255) * (i32::from(right[k * columns + j]) + 128);
        expected.push((0..depth).map(term).sum::<i32>());
    }
    let (left, right) = (tensor(&left, &[rows as i64, depth as i64]), tensor(&right, &[depth as i64, columns as i64]));
    let zero_points = [tensor(&[255_u8], &[]), tensor(&[-128_i8], &[])];
    let inputs = [&left, &right, &zero_points[0], &zero_points[1]];
    gives("MatMulInteger", &plain(), &inputs, &tensor(&expected, &[rows as i64, columns as i64]));
}

#[test]
fn each_channel_of_a_group_has_its_own_zero_point() {
    // Two channels, each of which two filters see.
    let x = tensor(&[10_u8, 20, 30, 40], &[1, 2, 2]);
    let w = tensor(&[5_u8, 6, 7, 8], &[4, 1, 1]);
    let (of_x, of_w) = (tensor(&[10_u8], &[]), row(&[1_u8, 2, 3, 4]));
    let expected = tensor(&[0, 40, 0, 40, 80, 120, 80, 120], &[1, 4, 2]);
    gives("ConvInteger", &plain().with("group", 2), &[&x, &w, &of_x, &of_w], &expected);
    // Two filters see both channels: 0 and 10, 20 and 30 without the zero point.
    let w = tensor(&[5_u8, 6, 7, 8], &[2, 2, 1]);
    let expected = tensor(&[20 * 4, 10 * 3 + 30 * 4, 20 * 4, 10 * 3 + 30 * 4], &[1, 2, 2]);
    gives("ConvInteger", &plain(), &[&x, &w, &of_x, &row(&[2_u8, 4])], &expected);
}

/// `DynamicQuantizeLinear` of a row: bytes, scale, zero point.
fn dynamic(x: &[f32], bytes: &[u8], scale: f32, zero_point: u8) {
    let outputs = run("DynamicQuantizeLinear", &plain(), &[&row(x)]);
    for (output, expected) in outputs.iter().zip([row(bytes), tensor(&[scale], &[]), tensor(&[zero_point], &[])]) {
        assert!(is_same(output, &expected), "{x:?} gives {output:?}, not {expected:?}");
    }
}

#[test]
fn ranges_that_are_quantised_hold_zero() {
    dynamic(&[-1.0, -2.1, -1.3, -2.5, -3.34, -4.0], &[191, 121, 172, 96, 42, 0], 4.0 / 255.0, 255);
    dynamic(&[1.0, 2.0, 51.0], &[5, 10, 255], 0.2, 0);
    dynamic(&[-100.0, 155.0, 0.0], &[0, 255, 100], 1.0, 100);
}

#[test]
fn halves_are_rounded_to_even() {
    for dtype in FLOATS {
        let x = typed(dtype, &[0.5, 1.5, 2.5, -0.5, -1.5, 3.5, -2.5], &[7]);
        gives("Round", &plain(), &[&x], &typed(dtype, &[0.0, 2.0, 2.0, 0.0, -2.0, 4.0, -2.0], &[7]));
        if dtype == DType::F64 {
            continue;
        }
        let one = typed(dtype, &[1.0], &[]);
        let zero_point = tensor(&[0_i8], &[]);
        gives("QuantizeLinear", &plain(), &[&x, &one, &zero_point], &row(&[0_i8, 2, 2, 0, -2, 4, -2]));
        // Rounding comes before the zero point, which may be odd.
        let zero_point = tensor(&[127_u8], &[]);
        gives("QuantizeLinear", &plain(), &[&x, &one, &zero_point], &row(&[127_u8, 129, 129, 127, 125, 131, 125]));
        let two = typed(dtype, &[2.0], &[]);
        let x = typed(dtype, &[1.0, 3.0, 5.0, -1.0, -3.0, 1e4, -1e4], &[7]);
        gives("QuantizeLinear", &plain(), &[&x, &two, &tensor(&[0_i8], &[])], &row(&[0_i8, 2, 2, 0, -2, 127, -128]));
    }
}
