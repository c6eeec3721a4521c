//! Mistakes that other libraries made, each as its whole kind: all dtypes, sides and lanes.

use stratal_kernels::map::{Abs, Add, Binary, Div, Max, Min, Modulo, Mul, Neg, Remainder, Sign, Sub};
use stratal_kernels::{KernelError, Kernels};
use stratal_tensor_base::{Bool, DType, DTypeKind, Element, match_dtype};

use crate::array::Array;
use crate::backends::BACKENDS;
use crate::place::Place;
use crate::values::{is_nan, panel};

fn binary(kernels: &dyn Kernels, operation: &dyn Binary, a: &Array, b: &Array) -> Result<Array, KernelError> {
    let mut result = Array::canary(a.dtype, a.count());
    kernels.binary(operation, &a.row(), &b.row(), &mut result.row_mut()).map(|()| result)
}

fn row<T: Element>(operation: &dyn Binary, a: &[T], b: &[T], expected: &[T]) {
    for kernels in BACKENDS.iter() {
        let result = binary(&**kernels, operation, &Array::of(a), &Array::of(b)).unwrap().to_vec::<T>();
        assert_eq!(result, expected, "{operation:?} on {}", kernels.backend());
    }
}

fn integers() -> impl Iterator<Item = DType> {
    DType::ALL.into_iter().filter(|dtype| dtype.is_integer())
}

fn least(dtype: DType) -> u64 {
    1 << (8 * dtype.size() - 1)
}

fn all_ones(dtype: DType) -> u64 {
    u64::MAX >> (64 - 8 * dtype.size())
}

/// B2: the minimum and maximum with a scalar, which is a broadcast operand, keep NaN.
#[test]
fn nan_survives_the_extremes_with_a_scalar() {
    let row = Array::of(&[f32::NAN, 1.0, 20.0]);
    let scalar = Array::of(&[10_f32]);
    let along = Place::dense(&[3], 0);
    let repeated = Place { buffer: 1, ..Place::new(&[3], &[0], 0) };
    let row_place = Place { buffer: 3, ..along };
    for kernels in BACKENDS.iter() {
        for (operation, expected) in [(&Min as &dyn Binary, [f32::NAN, 1.0, 10.0]), (&Max, [f32::NAN, 10.0, 20.0])] {
            for is_scalar_first in [false, true] {
                let (a, b) = (row.view(&row_place), scalar.view(&repeated));
                let mut result = Array::canary(DType::F32, 3);
                let (a, b) = if is_scalar_first { (b, a) } else { (a, b) };
                kernels.binary(operation, &a, &b, &mut result.row_mut()).unwrap();
                let result = result.to_vec::<f32>();
                assert!(result[0].is_nan(), "{operation:?} on {}", kernels.backend());
                assert_eq!(result[1..], expected[1..], "{operation:?} on {}", kernels.backend());
            }
        }
    }
}

/// B17: the sign of integers; that of floats is among the special values.
#[test]
fn signs_of_integers() {
    for dtype in integers() {
        let values = panel(dtype);
        let x = Array::new(dtype, values.clone());
        for kernels in BACKENDS.iter() {
            let mut result = Array::canary(dtype, values.len());
            kernels.unary(&Sign, &x.row(), &mut result.row_mut()).unwrap();
            for (value, sign) in values.iter().zip(result.patterns()) {
                let is_negative = dtype.kind() == DTypeKind::Signed && *value >= least(dtype);
                let expected = if is_negative { all_ones(dtype) } else { u64::from(*value != 0) };
                assert_eq!(sign, expected, "sign of {dtype} {value:#x} on {}", kernels.backend());
            }
        }
    }
}

/// D1: the least integer divided by -1, in every lane; and its negation and absolute value.
#[test]
fn the_least_integer_wraps() {
    for dtype in integers().filter(|dtype| dtype.kind() == DTypeKind::Signed) {
        for length in 1..=40 {
            for position in 0..length {
                let (mut a, mut b) = (Array::new(dtype, vec![6; length]), Array::new(dtype, vec![3; length]));
                a.set(position, least(dtype));
                b.set(position, all_ones(dtype));
                for kernels in BACKENDS.iter() {
                    let cases: [(&dyn Binary, u64, u64); 4] =
                        [(&Div, least(dtype), 2), (&Remainder, 0, 0), (&Modulo, 0, 0), (&Mul, least(dtype), 18)];
                    for (operation, there, elsewhere) in cases {
                        let result = binary(&**kernels, operation, &a, &b).unwrap();
                        for (index, pattern) in result.patterns().enumerate() {
                            let expected = if index == position { there } else { elsewhere };
                            assert_eq!(pattern, expected, "{operation:?} of {dtype} on {}", kernels.backend());
                        }
                    }
                    for operation in [&Neg as &dyn stratal_kernels::map::Unary, &Abs] {
                        let mut result = Array::canary(dtype, length);
                        kernels.unary(operation, &a.row(), &mut result.row_mut()).unwrap();
                        assert_eq!(result.get(position), least(dtype), "{operation:?} on {}", kernels.backend());
                    }
                }
            }
        }
    }
}

/// D2: an integer divided by zero is an error, wherever the zero is; nothing is written, and in place nothing is lost.
#[test]
fn integer_division_by_zero_is_an_error_that_loses_nothing() {
    let operations: [(&dyn Binary, &str); 3] = [(&Div, "div"), (&Remainder, "remainder"), (&Modulo, "mod")];
    for dtype in integers() {
        for length in [1, 2, 4, 16, 17, 40, 600, 1100] {
            // Contiguous, and gathered from every third element.
            for stride in [1, 3] {
                let place = Place::new(&[length], &[stride], 1);
                for position in [0, 1, 15, 16, 39, 512, 1099].into_iter().filter(|position| *position < length) {
                    let a = Array::new(dtype, vec![7; place.buffer]);
                    let mut b = Array::new(dtype, vec![2; place.buffer]);
                    b.set((place.offset + stride * position) as usize, 0);
                    for (kernels, (operation, name)) in BACKENDS.iter().flat_map(|k| operations.map(|o| (k, o))) {
                        let expected = Err(KernelError::DivisionByZero { operation: name, dtype });
                        let canary = Array::canary(dtype, place.buffer);
                        let mut result = canary.clone();
                        let (a_view, b_view) = (a.view(&place), b.view(&place));
                        let found = kernels.binary(operation, &a_view, &b_view, &mut result.view_mut(&place));
                        assert_eq!(found, expected, "{dtype} at {position} on {}", kernels.backend());
                        assert_eq!(result, canary, "{operation:?} of {dtype} on {}", kernels.backend());
                        let mut first = a.clone();
                        let found = kernels.binary_in_place(operation, &mut first.view_mut(&place), &b_view);
                        assert_eq!(found, expected, "{dtype} at {position} in place on {}", kernels.backend());
                        assert_eq!(first, a, "{operation:?} of {dtype} in place on {}", kernels.backend());
                    }
                }
            }
        }
    }
}

/// Zeros that no index reaches, or of a dividend, are no error.
#[test]
fn only_zeros_that_are_divided_by_count() {
    for dtype in integers() {
        let a = Array::new(dtype, vec![0; 40]);
        let b = Array::new(dtype, (0..40).map(|index| if index % 3 == 0 { 5 } else { 0 }));
        let place = Place { offset: 0, ..Place::new(&[13], &[3], 0) };
        for kernels in BACKENDS.iter() {
            for operation in [&Div as &dyn Binary, &Remainder, &Modulo] {
                let mut result = Array::canary(dtype, place.buffer);
                kernels.binary(operation, &a.view(&place), &b.view(&place), &mut result.view_mut(&place)).unwrap();
                assert!(place.positions().iter().all(|position| result.get(*position) == 0));
                // An empty problem has no divisors.
                let none = Place::dense(&[0], 0);
                kernels.binary(operation, &a.view(&none), &b.view(&none), &mut result.view_mut(&none)).unwrap();
            }
        }
    }
}

/// D4: the remainder with the divisor's sign and the one with the dividend's.
#[test]
fn remainders_of_both_kinds() {
    let (a, b) = ([-3, -2, -1, 1, 2, 3], [2, 3, 1, 2, 1, 3]);
    row::<i32>(&Modulo, &a, &b, &[1, 1, 0, 1, 0, 0]);
    row::<i32>(&Modulo, &a, &[2; 6], &[1, 0, 1, 1, 0, 1]);
    row::<i32>(&Modulo, &a, &[-2; 6], &[-1, 0, -1, -1, 0, -1]);
    row::<i32>(&Remainder, &a, &b, &[-1, -2, 0, 1, 0, 0]);
    row::<i8>(&Modulo, &[-4, 7, 5, 4, -7, 8], &[2, -3, 8, -2, 3, 5], &[0, -2, 5, 0, 2, 3]);
    row::<i64>(&Remainder, &[-4, 7, 5, 4, -7, 8], &[2, -3, 8, -2, 3, 5], &[0, 1, 5, 0, -1, 3]);
    row::<f32>(&Modulo, &[-3.0, -2.0, -1.0, 1.0, 2.0, 3.0], &[2.0; 6], &[1.0, 0.0, 1.0, 1.0, 0.0, 1.0]);
    let (a, b) = ([-4.5_f64, 7.25, 5.0, 4.5, -7.25, 8.0], [2.0, -3.5, 8.0, -2.0, 3.5, 5.0]);
    row::<f64>(&Remainder, &a, &b, &[-0.5, 0.25, 5.0, 0.5, -0.25, 3.0]);
}

/// D5: arithmetic wraps and never saturates, in every integer dtype and lane.
#[test]
fn arithmetic_wraps() {
    row::<i8>(&Sub, &[-128, 127, -1, 0], &[1, -128, -127, 100], &[127, -1, 126, -100]);
    for dtype in integers() {
        let ones = all_ones(dtype);
        let (greatest, bottom) = match dtype.kind() {
            DTypeKind::Signed => (least(dtype) - 1, least(dtype)),
            _ => (ones, 0),
        };
        for length in 1..=40 {
            let fill = |pattern| Array::new(dtype, vec![pattern; length]);
            for kernels in BACKENDS.iter() {
                let cases: [(&dyn Binary, u64, u64, u64); 4] = [
                    (&Add, greatest, 1, bottom),
                    (&Sub, bottom, 1, greatest),
                    (&Mul, greatest, 2, ones - 1),
                    (&Mul, greatest, greatest, 1),
                ];
                for (operation, a, b, expected) in cases {
                    let result = binary(&**kernels, operation, &fill(a), &fill(b)).unwrap();
                    assert_eq!(result, fill(expected), "{operation:?} of {dtype} on {}", kernels.backend());
                }
            }
        }
    }
}

/// D7: a number is true unless it is zero, so also fractions, subnormals and NaN.
#[test]
fn what_is_not_zero_casts_to_true() {
    let floats = [-1.5_f32, 0.0, 0.5, 300.0, -0.0, -1.0, f32::NAN];
    let truths = [true, false, true, true, false, true, true].map(Bool::from);
    for kernels in BACKENDS.iter() {
        let mut result = Array::canary(DType::Bool, floats.len());
        kernels.cast(&Array::of(&floats).row(), &mut result.row_mut()).unwrap();
        assert_eq!(result.to_vec::<Bool>(), truths, "{}", kernels.backend());
        for dtype in DType::ALL {
            let values = panel(dtype);
            let mut result = Array::canary(DType::Bool, values.len());
            kernels.cast(&Array::new(dtype, values.clone()).row(), &mut result.row_mut()).unwrap();
            for (value, truth) in values.iter().zip(result.patterns()) {
                let magnitude = if dtype.is_float() { *value & !least(dtype) } else { *value };
                assert_eq!(truth, u64::from(magnitude != 0), "{dtype} {value:#x} on {}", kernels.backend());
            }
            // And back: 0 or 1, whatever byte was true.
            let bytes = Array::new(DType::Bool, panel(DType::Bool));
            let mut result = Array::canary(dtype, bytes.count());
            kernels.cast(&bytes.row(), &mut result.row_mut()).unwrap();
            let numbers: Vec<f64> = match_dtype!(dtype, T => {
                result.to_vec::<T>().into_iter().map(stratal_tensor_base::cast).collect()
            });
            assert_eq!(numbers, [0.0, 1.0, 1.0, 1.0, 1.0], "{dtype} on {}", kernels.backend());
        }
    }
}

/// A NaN that is copied or chosen keeps its bits, signaling ones included.
#[test]
fn moved_nans_keep_their_bits() {
    for dtype in DType::ALL.into_iter().filter(|dtype| dtype.is_float()) {
        let nans: Vec<u64> = panel(dtype).into_iter().filter(|pattern| is_nan(dtype, *pattern)).collect();
        let x = Array::new(dtype, nans);
        let zeros = Array::new(dtype, vec![0; x.count()]);
        for kernels in BACKENDS.iter() {
            let mut result = Array::canary(dtype, x.count());
            kernels.copy(&x.row(), &mut result.row_mut()).unwrap();
            assert_eq!(result, x);
            let mut result = Array::canary(dtype, x.count());
            kernels.cast(&x.row(), &mut result.row_mut()).unwrap();
            assert_eq!(result, x);
            for (truth, expected) in [(1, &x), (0, &zeros), (0x80, &x)] {
                let condition = Array::new(DType::Bool, vec![truth; x.count()]);
                let mut result = Array::canary(dtype, x.count());
                kernels.select(&condition.row(), &x.row(), &zeros.row(), &mut result.row_mut()).unwrap();
                assert_eq!(&result, expected, "{dtype} on {}", kernels.backend());
            }
        }
    }
}
