//! NaN, infinities and zeros of both signs, as the documentation of each operation states them, in every float dtype.

use stratal_kernels::map::{
    Abs, Add, Ceil, Clip, Div, Floor, HardSigmoid, HardSwish, LeakyRelu, Max, Min, Modulo, Mul, Neg, Reciprocal, Relu,
    Remainder, Round, Rsqrt, Sign, Sqrt, Sub, Trunc,
};
use stratal_kernels::map::{Binary, Unary};
use stratal_tensor_base::{CastFromAny, DType, Element, Scalar, match_dtype};

use crate::array::Array;
use crate::backends::BACKENDS;

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;
const FLOATS: [DType; 4] = [DType::F16, DType::BF16, DType::F32, DType::F64];

/// Values that every float dtype holds exactly.
fn array(dtype: DType, values: &[f64]) -> Array {
    match_dtype!(dtype, T => Array::of(&values.iter().map(|value| exactly::<T>(*value)).collect::<Vec<_>>()))
}

fn exactly<T: CastFromAny + Element>(value: f64) -> T {
    let cast: T = Scalar::F64(value).cast();
    let back: f64 = Scalar::cast(cast.into());
    assert!(back == value || value.is_nan(), "{value} is not a {}", T::DTYPE);
    cast
}

fn values(array: &Array) -> Vec<f64> {
    match_dtype!(array.dtype, T => array.to_vec::<T>().into_iter().map(|value| Scalar::cast(value.into())).collect())
}

/// The same number, zeros by sign, or both NaN.
fn is_same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// Each value fills a row longer than a vector, so that it is seen in whole vectors and in what is left over.
const ROW: usize = 21;

fn check_unary(operation: &dyn Unary, cases: &[(f64, f64)]) {
    for dtype in FLOATS {
        for (x, result) in [(NAN, NAN)].iter().chain(cases) {
            let x_row = array(dtype, &[*x; ROW]);
            for kernels in BACKENDS.iter() {
                let mut found = Array::canary(dtype, ROW);
                kernels.unary(operation, &x_row.row(), &mut found.row_mut()).unwrap();
                for value in values(&found) {
                    let backend = kernels.backend();
                    assert!(is_same(value, *result), "{operation:?} of {dtype} {x} on {backend}: {value}");
                }
            }
        }
    }
}

fn check_binary(operation: &dyn Binary, cases: &[(f64, f64, f64)]) {
    let with_nan = [(NAN, 1.0, NAN), (1.0, NAN, NAN), (NAN, NAN, NAN), (INF, NAN, NAN), (NAN, -0.0, NAN)];
    for dtype in FLOATS {
        for (a, b, result) in with_nan.iter().chain(cases) {
            let (a_row, b_row) = (array(dtype, &[*a; ROW]), array(dtype, &[*b; ROW]));
            for kernels in BACKENDS.iter() {
                let mut found = Array::canary(dtype, ROW);
                kernels.binary(operation, &a_row.row(), &b_row.row(), &mut found.row_mut()).unwrap();
                for value in values(&found) {
                    let backend = kernels.backend();
                    assert!(is_same(value, *result), "{operation:?} of {dtype} {a}, {b} on {backend}: {value}");
                }
            }
        }
    }
}

#[test]
fn signs() {
    check_unary(&Neg, &[(0.0, -0.0), (-0.0, 0.0), (INF, -INF), (-INF, INF), (1.5, -1.5)]);
    check_unary(&Abs, &[(0.0, 0.0), (-0.0, 0.0), (-INF, INF), (INF, INF), (-2.5, 2.5)]);
    // B17.
    check_unary(&Sign, &[(0.0, 0.0), (-0.0, -0.0), (2.0, 1.0), (-0.25, -1.0), (INF, 1.0), (-INF, -1.0)]);
}

#[test]
fn integers_nearby() {
    let same = [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (3.0, 3.0), (-128.0, -128.0)];
    for operation in [&Floor as &dyn Unary, &Ceil, &Trunc, &Round] {
        check_unary(operation, &same);
    }
    check_unary(&Floor, &[(0.5, 0.0), (-0.5, -1.0), (2.5, 2.0), (-2.5, -3.0)]);
    check_unary(&Ceil, &[(0.5, 1.0), (-0.5, -0.0), (2.5, 3.0), (-2.5, -2.0)]);
    check_unary(&Trunc, &[(0.5, 0.0), (-0.5, -0.0), (2.5, 2.0), (-2.5, -2.0)]);
    // D17: ties to even.
    check_unary(&Round, &[(0.5, 0.0), (1.5, 2.0), (2.5, 2.0), (3.5, 4.0), (0.75, 1.0), (2.25, 2.0)]);
    check_unary(&Round, &[(-0.5, -0.0), (-1.5, -2.0), (-2.5, -2.0), (-0.25, -0.0), (-0.75, -1.0)]);
}

#[test]
fn roots_and_reciprocals() {
    check_unary(&Sqrt, &[(0.0, 0.0), (-0.0, -0.0), (4.0, 2.0), (-1.0, NAN), (INF, INF), (-INF, NAN)]);
    check_unary(&Reciprocal, &[(0.0, INF), (-0.0, -INF), (INF, 0.0), (-INF, -0.0), (2.0, 0.5), (-4.0, -0.25)]);
    check_unary(&Rsqrt, &[(0.0, INF), (-0.0, -INF), (INF, 0.0), (-INF, NAN), (-1.0, NAN), (4.0, 0.5), (0.25, 2.0)]);
}

#[test]
fn rectifiers_and_limits() {
    check_unary(&Relu, &[(0.0, 0.0), (-0.0, -0.0), (-1.0, 0.0), (2.5, 2.5), (INF, INF), (-INF, 0.0)]);
    check_unary(&LeakyRelu { alpha: 0.5 }, &[(0.0, 0.0), (-0.0, -0.0), (-2.0, -1.0), (INF, INF), (-INF, -INF)]);
    check_unary(&LeakyRelu { alpha: 0.0 }, &[(0.0, 0.0), (-2.0, -0.0), (3.0, 3.0), (-INF, NAN)]);
    let clip = |lower: Option<f64>, upper: Option<f64>| Clip::new(lower.map(Scalar::F64), upper.map(Scalar::F64));
    check_unary(&clip(Some(-1.0), Some(6.0)), &[(-2.0, -1.0), (7.0, 6.0), (-0.0, -0.0), (INF, 6.0), (-INF, -1.0)]);
    check_unary(&clip(Some(0.0), None), &[(-0.0, -0.0), (0.0, 0.0), (-1.0, 0.0), (INF, INF), (-INF, 0.0)]);
    check_unary(&clip(Some(-0.0), Some(-0.0)), &[(0.0, 0.0), (-0.0, -0.0), (1.0, -0.0), (-1.0, -0.0)]);
    // The upper limit wins; limits that are missing or NaN cut nothing.
    check_unary(&clip(Some(2.0), Some(1.0)), &[(0.0, 1.0), (1.5, 1.0), (3.0, 1.0), (INF, 1.0), (-INF, 1.0)]);
    check_unary(&clip(None, None), &[(INF, INF), (-INF, -INF), (-0.0, -0.0)]);
    check_unary(&clip(Some(NAN), Some(NAN)), &[(INF, INF), (-INF, -INF), (-0.0, -0.0)]);
    check_unary(&clip(Some(-INF), Some(INF)), &[(INF, INF), (-INF, -INF), (-0.0, -0.0)]);
}

/// Limits between integers, beyond the type, beyond i64 and f64's integers, and crossed.
#[test]
fn limits_of_integers() {
    fn check<T: Element + PartialEq>(lower: Option<Scalar>, upper: Option<Scalar>, x: &[T], expected: &[T]) {
        for kernels in BACKENDS.iter() {
            let mut result = Array::canary(T::DTYPE, x.len());
            kernels.unary(&Clip::new(lower, upper), &Array::of(x).row(), &mut result.row_mut()).unwrap();
            assert!(result == Array::of(expected), "{lower:?} to {upper:?} gave {result:?} on {}", kernels.backend());
        }
    }
    let float = |limit: f64| Some(Scalar::F64(limit));
    check::<i32>(float(-1.5), float(2.5), &[-3, -2, -1, 0, 2, 3], &[-1, -1, -1, 0, 2, 2]);
    check::<i32>(float(0.2), float(0.8), &[-1, 0, 1, 2], &[0, 0, 0, 0]);
    check::<i8>(float(-1e300), float(f64::INFINITY), &[-128, 0, 127], &[-128, 0, 127]);
    check::<u8>(Some(Scalar::I64(-5)), Some(Scalar::I64(-3)), &[0, 7, 255], &[0, 0, 0]);
    check::<u8>(Some(Scalar::I32(300)), None, &[0, 7, 255], &[255, 255, 255]);
    check::<i16>(float(f64::NAN), Some(Scalar::Bool(true.into())), &[-9, 1, 9], &[-9, 1, 1]);
    let most = Scalar::U64(u64::MAX - 1);
    check::<u64>(Some(most), None, &[0, u64::MAX - 2, u64::MAX], &[u64::MAX - 1, u64::MAX - 1, u64::MAX]);
    check::<u64>(None, Some(most), &[1 << 63, u64::MAX - 2, u64::MAX], &[1 << 63, u64::MAX - 2, u64::MAX - 1]);
    check::<i64>(None, Some(most), &[i64::MIN, i64::MAX], &[i64::MIN, i64::MAX]);
    let odd = (1_i64 << 53) + 1;
    check::<i64>(Some(Scalar::I64(odd)), None, &[odd - 1, odd + 1], &[odd, odd + 1]);
}

#[test]
fn straight_sigmoids() {
    let hard_sigmoid = HardSigmoid { alpha: 0.25, beta: 0.5 };
    check_unary(&hard_sigmoid, &[(0.0, 0.5), (-0.0, 0.5), (1.0, 0.75), (-2.0, 0.0), (2.0, 1.0)]);
    check_unary(&hard_sigmoid, &[(INF, 1.0), (-INF, 0.0), (100.0, 1.0), (-100.0, 0.0)]);
    check_unary(&HardSwish, &[(0.0, 0.0), (-0.0, -0.0), (3.0, 3.0), (4.0, 4.0), (INF, INF)]);
    check_unary(&HardSwish, &[(-3.0, -0.0), (-4.0, -0.0), (-128.0, -0.0), (-INF, NAN)]);
}

#[test]
fn arithmetic() {
    check_binary(&Add, &[(0.0, -0.0, 0.0), (-0.0, -0.0, -0.0), (1.0, -1.0, 0.0), (INF, -INF, NAN), (INF, 1.0, INF)]);
    check_binary(&Sub, &[(0.0, 0.0, 0.0), (-0.0, 0.0, -0.0), (2.5, 2.5, 0.0), (INF, INF, NAN), (1.0, INF, -INF)]);
    check_binary(&Mul, &[(0.0, INF, NAN), (-INF, 0.0, NAN), (-0.0, 1.0, -0.0), (0.0, -2.0, -0.0), (INF, -INF, -INF)]);
    // D2: a float divided by zero is infinite.
    check_binary(&Div, &[(1.0, 0.0, INF), (-1.0, 0.0, -INF), (1.0, -0.0, -INF), (0.0, 0.0, NAN), (INF, INF, NAN)]);
    check_binary(&Div, &[(1.0, INF, 0.0), (-1.0, INF, -0.0), (INF, -0.0, -INF), (0.0, INF, 0.0)]);
    let second = [(0.0, -0.0, -0.0), (-0.0, 0.0, 0.0), (1.0, 1.0, 1.0)];
    check_binary(&Min, &second);
    check_binary(&Max, &second);
    check_binary(&Min, &[(INF, 1.0, 1.0), (1.0, -INF, -INF), (-2.0, 3.0, -2.0), (3.0, -2.0, -2.0)]);
    check_binary(&Max, &[(INF, 1.0, INF), (1.0, -INF, 1.0), (-2.0, 3.0, 3.0), (3.0, -2.0, 3.0)]);
}

#[test]
fn remainders() {
    let nan = [(INF, 3.0, NAN), (-INF, 3.0, NAN), (INF, INF, NAN), (2.0, 0.0, NAN), (0.0, 0.0, NAN), (2.0, -0.0, NAN)];
    check_binary(&Remainder, &nan);
    check_binary(&Modulo, &nan);
    check_binary(&Remainder, &[(5.0, 3.0, 2.0), (-5.0, 3.0, -2.0), (5.0, -3.0, 2.0), (-5.0, -3.0, -2.0)]);
    check_binary(
        &Remainder,
        &[(6.0, 3.0, 0.0), (-6.0, 3.0, -0.0), (6.0, -3.0, 0.0), (0.0, 3.0, 0.0), (-0.0, 3.0, -0.0)],
    );
    check_binary(
        &Remainder,
        &[(5.0, INF, 5.0), (-5.0, INF, -5.0), (5.0, -INF, 5.0), (0.0, INF, 0.0), (-0.0, INF, -0.0)],
    );
    check_binary(&Modulo, &[(5.0, 3.0, 2.0), (-5.0, 3.0, 1.0), (5.0, -3.0, -1.0), (-5.0, -3.0, -2.0)]);
    check_binary(&Modulo, &[(6.0, 3.0, 0.0), (-6.0, 3.0, 0.0), (6.0, -3.0, -0.0), (0.0, -3.0, -0.0), (-0.0, 3.0, 0.0)]);
    check_binary(
        &Modulo,
        &[(5.0, INF, 5.0), (-5.0, INF, INF), (5.0, -INF, -INF), (-5.0, -INF, -5.0), (-0.0, INF, 0.0)],
    );
}
