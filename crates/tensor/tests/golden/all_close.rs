//! `allclose.json`: which elements are close, and which tolerances are none.

use stratal_tensor::{Tensor, TensorError, Tolerance, base::DType};

use crate::{
    cast::of_patterns,
    load::{HexList, fixture},
};

#[derive(serde::Deserialize)]
struct Fixture {
    cases: Vec<Case>,
    bad_tolerances: Vec<[String; 2]>,
}

#[derive(serde::Deserialize)]
struct Case {
    dtype: i64,
    rtol: String,
    atol: String,
    a: HexList,
    b: HexList,
    close: Vec<u8>,
    mismatches: usize,
}

fn load() -> Fixture {
    fixture(include_str!("../fixtures/allclose.json"))
}

fn number(pattern: &str) -> f64 {
    f64::from_bits(u64::from_str_radix(pattern, 16).unwrap())
}

fn tolerance(relative: &str, absolute: &str) -> Tolerance {
    Tolerance { relative: number(relative), absolute: number(absolute), is_nan_equal: false }
}

#[test]
fn elements_are_close_as_written() {
    for case in load().cases {
        let dtype = DType::from_onnx(case.dtype).unwrap();
        let (left, right) = (of_patterns(&case.a.0, dtype), of_patterns(&case.b.0, dtype));
        let tolerance = tolerance(&case.rtol, &case.atol);
        let whole = left.all_close(&right, tolerance).unwrap();
        assert_eq!(whole.mismatches, case.mismatches, "{whole}");
        assert_eq!(whole.is_close(), case.mismatches == 0);
        for (index, close) in case.close.iter().enumerate() {
            let element = |tensor: &Tensor| tensor.select(0, index as i64).unwrap();
            let single = element(&left).all_close(&element(&right), tolerance).unwrap();
            assert_eq!(single.is_close(), *close == 1, "{single}");
        }
    }
}

#[test]
fn impossible_tolerances_are_refused() {
    let tensor = Tensor::scalar(1.0_f32).unwrap();
    for [relative, absolute] in load().bad_tolerances {
        let result = tensor.all_close(&tensor, tolerance(&relative, &absolute));
        assert!(matches!(result, Err(TensorError::BadTolerance { .. })), "{relative} {absolute}");
    }
}
