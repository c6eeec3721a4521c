//! Windows and operands that are refused: in words, and with nothing written.

use std::fmt::Write;

use stratal_kernels::KernelError;
use stratal_kernels::pool::{AutoPad, Window, WindowAxis};
use stratal_tensor_base::{DType, Shape};

use super::{Kind, window};
use crate::array::Array;
use crate::backends::BACKENDS;
use crate::laid::dense;

/// The error that every backend gives, with the results as they were.
fn refused(kind: Kind, window: &Window, (dtype, images): (DType, &[i64]), results: &[(DType, &[i64])]) -> KernelError {
    let x = Array::canary(dtype, dense(images).count());
    let mut errors = BACKENDS.iter().map(|kernels| {
        let canaries: Vec<Array> =
            results.iter().map(|(dtype, extents)| Array::canary(*dtype, dense(extents).count())).collect();
        let mut found = canaries.clone();
        let error = {
            let views = found.iter_mut().zip(results).map(|(array, (_, extents))| array.view_mut(&dense(extents)));
            kind.call(&**kernels, window, &x.view(&dense(images)), &mut views.collect::<Vec<_>>()).unwrap_err()
        };
        assert_eq!(found, canaries);
        error
    });
    let error = errors.next().unwrap();
    assert!(errors.all(|other| other == error));
    error
}

#[test]
fn errors_of_windows_and_operands() {
    const LONGEST: i64 = i32::MAX as i64;
    let mut text = String::new();
    let mut note = |error: KernelError| writeln!(text, "{error}").unwrap();
    let images: &[i64] = &[1, 2, 5, 6];
    let one = WindowAxis::default();
    let good = window(&[(2, 1, 0), (2, 1, 0)]);
    let second = |axis: WindowAxis| Window { axes: vec![one, axis], ceil: false };
    let windows = [
        Window { axes: vec![], ceil: false },
        Window { axes: vec![one; 4], ceil: true },
        Window { axes: vec![one; 3], ceil: false },
        second(WindowAxis { kernel: 0, ..one }),
        second(WindowAxis { stride: -1, ..one }),
        second(WindowAxis { dilation: i64::MIN, ..one }),
        second(WindowAxis { kernel: 3, pad_begin: 3, ..one }),
        second(WindowAxis { kernel: 3, pad_end: -1, ..one }),
        second(WindowAxis { kernel: 9, dilation: 1 << 40, pad_end: 8, ..one }),
        second(WindowAxis { kernel: LONGEST, stride: i64::MAX, dilation: i64::MAX, pad_begin: 7, pad_end: 7 }),
        second(WindowAxis { kernel: LONGEST, pad_begin: LONGEST - 1, pad_end: LONGEST - 1, ..one }),
        second(WindowAxis { kernel: i64::MAX, pad_begin: i64::MAX - 1, pad_end: i64::MAX - 1, ..one }),
    ];
    let result: (DType, &[i64]) = (DType::F32, &[1, 2, 4, 5]);
    for window in &windows {
        let error = refused(Kind::Max, window, (DType::F32, images), &[result]);
        assert_eq!(window.output_shape(&Shape::new(images).unwrap()), Err(error));
        note(error);
    }
    note(refused(Kind::Max, &good, (DType::F32, &[1, 2, 0, 6]), &[result]));
    // A window whose two elements lie on both sides of an image of one.
    let astride = second(WindowAxis { kernel: 2, dilation: 2, pad_begin: 1, pad_end: 1, ..one });
    note(refused(Kind::Average(true), &astride, (DType::F32, &[1, 1, 1, 1]), &[(DType::F32, &[1, 1, 1, 1])]));
    note(refused(Kind::Max, &good, (DType::Bool, images), &[(DType::Bool, &[1, 2, 4, 5])]));
    note(refused(Kind::Average(false), &good, (DType::I32, images), &[(DType::I32, &[1, 2, 4, 5])]));
    note(refused(Kind::Power(2), &good, (DType::U8, images), &[(DType::U8, &[1, 2, 4, 5])]));
    note(refused(Kind::Power(0), &good, (DType::F32, images), &[result]));
    note(refused(Kind::Max, &good, (DType::F32, images), &[(DType::F64, &[1, 2, 4, 5])]));
    note(refused(Kind::Average(true), &good, (DType::F32, images), &[(DType::F32, &[1, 2, 4, 4])]));
    let with_indices = Kind::MaxWithIndices(DType::I32);
    note(refused(with_indices, &good, (DType::F32, images), &[result, (DType::U64, &[1, 2, 4, 5])]));
    note(refused(with_indices, &good, (DType::F32, images), &[result, (DType::I32, &[1, 2, 4, 4])]));
    note(WindowAxis { stride: 0, ..one }.with_auto_pad(AutoPad::SameUpper, 5).unwrap_err());
    note(Window::global(&Shape::new(&[2, 2]).unwrap()).unwrap_err());
    insta::assert_snapshot!(text);
}

#[test]
fn errors_of_unpooling() {
    let mut text = String::new();
    let x = Array::of(&[1.0_f32, 2.0]);
    let place = dense(&[1, 1, 2]);
    for (indices, extents, dtype) in [
        (Array::of(&[0_i64, 5]), [1_i64, 1, 5], DType::F32),
        (Array::of(&[-1_i32, 0]), [1, 1, 5], DType::F32),
        (Array::of(&[i64::MIN, i64::MAX]), [1, 1, 5], DType::F32),
        (Array::of(&[0_i64, 0]), [1, 0, 5], DType::F32),
        (Array::of(&[0_u8, 1]), [1, 1, 5], DType::F32),
        (Array::of(&[0_i64, 1]), [1, 1, 5], DType::F16),
        (Array::of(&[0_i64, 1, 2]), [1, 1, 5], DType::F32),
    ] {
        let place_of_indices = dense(&[1, 1, indices.count() as i64]);
        let mut messages = BACKENDS.iter().map(|kernels| {
            let canary = Array::canary(dtype, dense(&extents).count());
            let mut found = canary.clone();
            let mut view = found.view_mut(&dense(&extents));
            let error = kernels.max_unpool(&x.view(&place), &indices.view(&place_of_indices), &mut view).unwrap_err();
            assert_eq!(found, canary);
            error.to_string()
        });
        let message = messages.next().unwrap();
        assert!(messages.all(|other| other == message));
        writeln!(text, "{message}").unwrap();
    }
    insta::assert_snapshot!(text);
}
