//! `maxpool.json`: maximum pooling of f32 images, bit for bit, with the index of each maximum.

use stratal_kernels::KernelError;
use stratal_tensor_base::{DType, Shape};

use super::{extents, window};
use crate::EMULATED;
use crate::array::Array;
use crate::backends::BACKENDS;
use crate::load::{HexList, fixture};
use crate::place::{Place, in_order};

#[derive(serde::Deserialize)]
struct Golden {
    cases: Vec<Case>,
    errors: Vec<Refused>,
}

#[derive(serde::Deserialize)]
struct Case {
    shape: Vec<i64>,
    kernel: [i64; 2],
    stride: [i64; 2],
    pad: [i64; 2],
    x: HexList,
    out_shape: Vec<i64>,
    y: HexList,
    argmax: Vec<u64>,
}

#[derive(serde::Deserialize)]
struct Refused {
    shape: Vec<i64>,
    kernel: [i64; 2],
    stride: [i64; 2],
    pad: [i64; 2],
}

fn golden() -> Golden {
    fixture(include_str!("../../../../tensor-base/tests/fixtures/maxpool.json"))
}

/// Channels before the other axes, and after them.
const ORDERS: [[usize; 4]; 2] = [[0, 1, 2, 3], [0, 2, 3, 1]];

#[test]
fn maxima_and_their_indices() {
    let cases = golden().cases;
    assert_eq!(cases.len(), 160);
    for case in cases.iter().step_by(if EMULATED { 7 } else { 1 }) {
        let window = window(&[0, 1].map(|axis| (case.kernel[axis], case.stride[axis], case.pad[axis])));
        let shape = Shape::new(&case.shape).unwrap();
        assert_eq!(extents(&window.output_shape(&shape).unwrap()), case.out_shape);
        for order in ORDERS {
            let place = Place::new(&case.shape, &in_order(&case.shape, &order, 1), 1);
            let result = Place::new(&case.out_shape, &in_order(&case.out_shape, &order, 1), 2);
            let mut x = Array::canary(DType::F32, place.buffer);
            x.scatter(&place.positions(), &Array::new(DType::F32, case.x.0.iter().copied()));
            let positions = result.positions();
            for kernels in BACKENDS.iter() {
                for index_dtype in [None, Some(DType::I32), Some(DType::I64)] {
                    let mut y = Array::canary(DType::F32, result.buffer);
                    let mut argmax = Array::canary(index_dtype.unwrap_or(DType::I32), result.buffer);
                    let mut indices = index_dtype.map(|_| argmax.view_mut(&result));
                    kernels.max_pool(&window, &x.view(&place), &mut y.view_mut(&result), indices.as_mut()).unwrap();
                    let context = format!("{window:?} of {:?} in {order:?} on {kernels:?}", case.shape);
                    assert!(y.gather(&positions).patterns().eq(case.y.0.iter().copied()), "{context}");
                    if index_dtype.is_some() {
                        assert!(argmax.gather(&positions).patterns().eq(case.argmax.iter().copied()), "{context}");
                    }
                }
            }
        }
    }
}

#[test]
fn windows_that_are_refused() {
    let refused = golden().errors;
    assert_eq!(refused.len(), 12);
    for case in refused {
        let window = window(&[0, 1].map(|axis| (case.kernel[axis], case.stride[axis], case.pad[axis])));
        let shape = Shape::new(&case.shape).unwrap();
        let error = window.output_shape(&shape).unwrap_err();
        assert!(matches!(error, KernelError::Pooling(_)), "{window:?}: {error}");
        let place = crate::laid::dense(&case.shape);
        let x = Array::canary(DType::F32, place.buffer);
        for kernels in BACKENDS.iter() {
            for result in [&[1_i64, 1, 1, 1][..], &case.shape] {
                let result = crate::laid::dense(result);
                let canary = Array::canary(DType::F32, result.buffer);
                let mut y = canary.clone();
                let outcome = kernels.max_pool(&window, &x.view(&place), &mut y.view_mut(&result), None);
                assert_eq!(outcome, Err(error));
                assert_eq!(y, canary);
            }
        }
    }
}
