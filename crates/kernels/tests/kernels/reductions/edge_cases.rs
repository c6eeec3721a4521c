//! Mistakes that other libraries made, each as its whole kind.

use stratal_kernels::reduce::{All, Any, LogSumExp, Max, Mean, Min, Prod, Reduction, Sum, SumSquare};
use stratal_kernels::{Centre, Kernels, Normalization, Saved, Scan, Softmax};
use stratal_tensor_base::{Bool, DType, Element, bf16, f16};

use crate::EMULATED;
use crate::array::Array;
use crate::backends::{BACKENDS, reference};
use crate::place::Place;

/// The reduction of all elements of a row, on every backend.
fn of_row<T: Element + PartialEq>(operation: &dyn Reduction, row: &[T], expected: T) {
    for kernels in BACKENDS.iter() {
        let found = reduce_row(&**kernels, operation, &Array::of(row)).to_vec::<T>()[0];
        assert!(found == expected, "{operation:?} gave {found:?} instead of {expected:?} on {kernels:?}");
    }
}

fn reduce_row(kernels: &dyn Kernels, operation: &dyn Reduction, row: &Array) -> Array {
    let mut result = Array::canary(row.dtype, 1);
    kernels.reduce(operation, &row.row(), &mut result.row_mut()).unwrap();
    result
}

/// The stride of an axis of one element is not a length: four rows of one, seen as one row of four with strides of 1.
#[test]
fn strides_of_axes_with_one_element_mean_nothing() {
    let place = Place { buffer: 4, ..Place::new(&[1, 4], &[1, 1], 0) };
    for kernels in BACKENDS.iter() {
        let x = Array::of(&[1.0_f32, 2.0, 3.0, 4.0]);
        let mut result = Array::canary(DType::F32, 1);
        let target = Place { buffer: 1, ..Place::dense(&[1, 1], 0) };
        kernels.reduce(&Sum, &x.view(&place), &mut result.view_mut(&target)).unwrap();
        assert_eq!(result.to_vec::<f32>(), [10.0], "{kernels:?}");
        for strides in [[9, 1], [0, 1], [-5, 1], [1, 0]] {
            let place = Place { buffer: 4, ..Place::new(&[1, 4], &strides, 0) };
            let expected = if strides[1] == 0 { 4.0 } else { 10.0 };
            kernels.reduce(&Sum, &x.view(&place), &mut result.view_mut(&target)).unwrap();
            assert_eq!(result.to_vec::<f32>(), [expected], "{strides:?} on {kernels:?}");
        }
    }
}

/// Which of two zeros is the greatest element follows from the order of evaluation alone, also where they lie in different
/// blocks.
#[test]
fn zeros_of_two_signs_in_different_blocks() {
    for length in [1026, 3000, 5000] {
        for (first, second) in [(0, 1024), (5, (length - 1).min(1029)), (1000, length - 1), (7, length - 2)] {
            for (others, operation) in [(-1.0_f32, &Max as &dyn Reduction), (1.0, &Min)] {
                for signed in [first, second] {
                    let mut row = vec![others; length];
                    (row[first], row[second]) = (0.0, 0.0);
                    row[signed] = -0.0;
                    let row = Array::of(&row);
                    let expected = reduce_row(reference(), operation, &row);
                    for kernels in BACKENDS.iter() {
                        let found = reduce_row(&**kernels, operation, &row);
                        assert_eq!(
                            found, expected,
                            "{operation:?}, -0 at {signed} of {first}, {second} on {kernels:?}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn logarithms_of_sums_of_infinities() {
    let infinity = f32::INFINITY;
    for length in [1, 2, 17, 100, 1030] {
        let mut row = vec![-infinity; length];
        of_row(&LogSumExp, &row, -infinity);
        row[length / 2] = 1.0;
        of_row(&LogSumExp, &row, 1.0);
        row[length - 1] = infinity;
        of_row(&LogSumExp, &row, infinity);
        row = vec![1000.0; length];
        for kernels in BACKENDS.iter() {
            let found = reduce_row(&**kernels, &LogSumExp, &Array::of(&row)).to_vec::<f32>()[0];
            let expected = 1000.0 + (length as f64).ln();
            assert!((f64::from(found) - expected).abs() < 1e-4, "{found} on {kernels:?}");
        }
    }
    of_row(&LogSumExp, &[-f64::INFINITY; 3], -f64::INFINITY);
    of_row(&LogSumExp, &[f64::INFINITY, 1.0], f64::INFINITY);
}

/// Softmax of rows of nothing but -inf, and of axes without elements; masked elements get exactly nothing.
#[test]
fn masked_rows() {
    for kernels in BACKENDS.iter() {
        for length in [1, 2, 16, 33, 1024] {
            let softmax = |row: &[f32]| {
                let mut result = Array::canary(DType::F32, length);
                kernels.softmax(&Softmax::along(0), &Array::of(row).row(), &mut result.row_mut()).unwrap();
                result.to_vec::<f32>()
            };
            let mut row = vec![f32::NEG_INFINITY; length];
            assert!(softmax(&row).iter().all(|x| x.is_nan()), "{kernels:?}");
            row[length - 1] = -3.0;
            let mut expected = vec![0.0; length];
            expected[length - 1] = 1.0;
            assert_eq!(softmax(&row), expected, "{kernels:?}");
        }
        let empty = Place::dense(&[3, 0], 0);
        let x = Array::of::<f32>(&[]);
        let mut result = Array::of::<f32>(&[]);
        kernels.softmax(&Softmax::along(1), &x.view(&empty), &mut result.view_mut(&empty)).unwrap();
        kernels.softmax(&Softmax::along(0), &x.view(&empty), &mut result.view_mut(&empty)).unwrap();
    }
}

/// A scale whose products round: the greatest element is at no distance from itself, however large it is.
#[test]
fn scaled_rows_of_large_numbers() {
    for kernels in BACKENDS.iter() {
        for scale in [0.3_f32, -0.7, 1e-3] {
            let row = [3e38 * scale.signum(), 1e37 * scale.signum(), f32::MAX * -scale.signum()];
            let mut result = Array::canary(DType::F32, 3);
            let operation = Softmax { axis: 0, scale, is_logarithm: false };
            kernels.softmax(&operation, &Array::of(&row).row(), &mut result.row_mut()).unwrap();
            assert_eq!(result.to_vec::<f32>(), [1.0, 0.0, 0.0], "{scale} on {kernels:?}");
        }
    }
}

/// The logarithm of a softmax is not that of a number that underflowed.
#[test]
fn log_softmax_in_the_tail() {
    for kernels in BACKENDS.iter() {
        for (row, expected) in [
            ([0.0_f32, -200.0], [0.0_f32, -200.0]),
            ([1e4, 0.0], [0.0, -1e4]),
            ([-5e3, -6e3], [0.0, -1e3]),
            ([3.0, 3.0], [-std::f32::consts::LN_2; 2]),
        ] {
            let mut result = Array::canary(DType::F32, 2);
            let operation = Softmax { is_logarithm: true, ..Softmax::along(0) };
            kernels.softmax(&operation, &Array::of(&row).row(), &mut result.row_mut()).unwrap();
            assert_eq!(result.to_vec::<f32>(), expected, "{kernels:?}");
        }
    }
}

fn empty<T: Element + PartialEq>(operation: &dyn Reduction, expected: T) {
    let (from, to) = (Place::dense(&[3, 0], 0), Place { buffer: 3, ..Place::dense(&[3, 1], 0) });
    for kernels in BACKENDS.iter() {
        let mut result = Array::canary(T::DTYPE, 3);
        kernels.reduce(operation, &Array::of::<T>(&[]).view(&from), &mut result.view_mut(&to)).unwrap();
        let found = result.to_vec::<T>();
        assert!(found.iter().all(|found| *found == expected), "{operation:?} gave {found:?} on {kernels:?}");
    }
}

/// What reductions of nothing are, in every kind of dtype.
#[test]
fn reductions_of_nothing() {
    empty(&Sum, 0.0_f32);
    empty(&Prod, 1.0_f32);
    empty(&Max, f32::NEG_INFINITY);
    empty(&Min, f32::INFINITY);
    empty(&LogSumExp, f32::NEG_INFINITY);
    empty(&Max, f64::NEG_INFINITY);
    empty(&Min, f16::INFINITY);
    empty(&Max, bf16::NEG_INFINITY);
    empty(&Sum, 0_u8);
    empty(&Prod, 1_i64);
    empty(&Max, i8::MIN);
    empty(&Min, i8::MAX);
    empty(&Max, u16::MIN);
    empty(&Min, u16::MAX);
    empty(&Max, i64::MIN);
    empty(&Min, u64::MAX);
    empty(&All, Bool::from(true));
    empty(&Any, Bool::from(false));
    let (from, to) = (Place::dense(&[3, 0], 0), Place { buffer: 3, ..Place::dense(&[3, 1], 0) });
    for kernels in BACKENDS.iter() {
        let mut result = Array::canary(DType::F32, 3);
        kernels.reduce(&Mean, &Array::of::<f32>(&[]).view(&from), &mut result.view_mut(&to)).unwrap();
        assert!(result.to_vec::<f32>().iter().all(|x| x.is_nan()), "{kernels:?}");
    }
}

/// A mean of integers is that of their exact sum, toward zero; sums, products and squares wrap.
#[test]
fn integers_wrap_but_their_means_do_not() {
    of_row(&Mean, &[100_i8, 100, 101], 100);
    of_row(&Mean, &[-7_i8, 0], -3);
    of_row(&Mean, &[i64::MAX, i64::MAX, i64::MAX - 3], i64::MAX - 1);
    of_row(&Mean, &[u64::MAX; 5], u64::MAX);
    of_row(&Mean, &[i64::MIN, i64::MIN], i64::MIN);
    of_row(&Sum, &[100_i8, 100], -56);
    of_row(&Sum, &[u64::MAX, 3], 2);
    of_row(&Prod, &[16_u8, 17], 16);
    of_row(&Prod, &[i64::MIN, 3], i64::MIN);
    of_row(&SumSquare, &[i32::MIN, 3], 9);
    of_row(&stratal_kernels::reduce::L1Norm, &[i8::MIN, 0], i8::MIN);
}

/// The variance of rows far from zero, which one pass over them would lose.
#[test]
fn rows_far_from_zero() {
    let normalize = |kernels: &dyn Kernels, row: &[f32], epsilon| {
        let mut result = Array::canary(DType::F32, row.len());
        let operation = Normalization { centre: Centre::Mean, axes: &[0], epsilon };
        let x = Array::of(row);
        kernels.normalize(&operation, &x.row(), None, None, &mut result.row_mut(), Saved::default()).unwrap();
        result.to_vec::<f32>()
    };
    for kernels in BACKENDS.iter() {
        for start in [40_000.0_f32, 80_000.0, -1e6] {
            let row: Vec<f32> = (0..4).map(|step| start + step as f32).collect();
            let found = normalize(&**kernels, &row, 1e-5);
            // sqrt(1.25 + 1e-5) is the deviation.
            for (found, expected) in found.iter().zip([-1.341_635_4, -0.447_211_8, 0.447_211_8, 1.341_635_4]) {
                assert!((found - expected).abs() < 3e-6, "{found} from {start} on {kernels:?}");
            }
        }
        assert_eq!(normalize(&**kernels, &[1234.0; 256], 1e-5), [0.0; 256], "{kernels:?}");
    }
}

/// Squares of such values overflow f32, and their mean, variance and result do not in f64.
#[test]
fn rows_too_large_for_their_squares() {
    for kernels in BACKENDS.iter() {
        for factor in [1e30_f32, 1e-30, -3e37] {
            let row: Vec<f32> = (0..100).map(|index| factor * ((index % 4) as f32 - 1.5)).collect();
            for centre in [Centre::Mean, Centre::Zero] {
                let mut result = Array::canary(DType::F32, 100);
                let operation = Normalization { centre, axes: &[0], epsilon: 0.0 };
                let x = Array::of(&row);
                kernels.normalize(&operation, &x.row(), None, None, &mut result.row_mut(), Saved::default()).unwrap();
                if factor.abs() < 1.0 {
                    // Too small for its squares: by zero, since no epsilon was given.
                    continue;
                }
                for (found, x) in result.to_vec::<f32>().iter().zip(&row) {
                    let expected = x / factor * factor.signum() / 1.25_f32.sqrt();
                    assert!((found - expected).abs() < 1e-6, "{found} instead of {expected} on {kernels:?}");
                }
            }
        }
    }
}

/// Sums that stop growing, or overflow, where they accumulate in the format of their elements.
#[test]
fn long_sums_in_short_formats() {
    let row: Vec<f16> = (0..1024).map(|index| f16::from_f32(index as f32)).collect();
    of_row(&Mean, &row, f16::from_f32(511.5));
    of_row(&Sum, &[f16::ONE; 4096], f16::from_f32(4096.0));
    of_row(&Sum, &[bf16::ONE; 1024], bf16::from_f32(1024.0));
    of_row(&Mean, &[f16::from_f32(60_000.0); 4096], f16::from_f32(60_000.0));
    if !EMULATED {
        let count = (1 << 24) + 2;
        let ones = Array::of(&vec![1.0_f32; count]);
        for kernels in BACKENDS.iter().skip(1) {
            let found = reduce_row(&**kernels, &Sum, &ones).to_vec::<f32>();
            assert_eq!(found, [count as f32], "{kernels:?}");
        }
        // 2^28 of them, all the same element.
        let one = Array::of(&[1.0_f32]);
        let place = Place { buffer: 1, ..Place::new(&[1 << 14, 1 << 14], &[0, 0], 0) };
        let kernels = &BACKENDS[BACKENDS.len() - 1];
        let mut result = Array::canary(DType::F32, 1);
        let target = Place { buffer: 1, ..Place::dense(&[1, 1], 0) };
        kernels.reduce(&Sum, &one.view(&place), &mut result.view_mut(&target)).unwrap();
        assert_eq!(result.to_vec::<f32>(), [268_435_456.0]);
    }
}

/// Running sums without the element itself, from either end, along axes of one element too.
#[test]
fn exclusive_and_reversed_scans() {
    for kernels in BACKENDS.iter() {
        let scan = |scan: Scan, extents: &[i64], axis: usize, row: &[i32]| {
            let place = Place { buffer: row.len(), ..Place::dense(extents, 0) };
            let mut result = Array::canary(DType::I32, row.len());
            kernels.scan(scan, axis, &Array::of(row).view(&place), &mut result.view_mut(&place)).unwrap();
            result.to_vec::<i32>()
        };
        let exclusive = Scan { exclusive: true, ..Scan::SUM };
        assert_eq!(scan(exclusive, &[1, 2], 0, &[1, 2]), [0, 0]);
        assert_eq!(scan(exclusive, &[3], 0, &[1, 2, 3]), [0, 1, 3]);
        assert_eq!(scan(Scan { reverse: true, ..exclusive }, &[3], 0, &[1, 2, 3]), [5, 3, 0]);
        assert_eq!(scan(Scan { reverse: true, ..Scan::SUM }, &[3], 0, &[1, 2, 3]), [6, 5, 3]);
        assert_eq!(scan(Scan { exclusive: true, ..Scan::PRODUCT }, &[2, 2], 0, &[5, 6, 7, 8]), [1, 1, 5, 6]);
        assert_eq!(scan(Scan::PRODUCT, &[2, 2], 1, &[5, 6, 7, 8]), [5, 30, 7, 56]);
    }
}

/// An axis that is named twice counts once.
#[test]
fn axes_named_twice() {
    let x: Vec<f32> = (0..24).map(|index| (index * index % 17) as f32).collect();
    let place = Place { buffer: 24, ..Place::dense(&[2, 3, 4], 0) };
    for kernels in BACKENDS.iter() {
        let normalize = |axes: &[usize]| {
            let mut result = Array::canary(DType::F32, 24);
            let operation = Normalization { centre: Centre::Mean, axes, epsilon: 0.1 };
            let (x, mut target) = (Array::of(&x), result.view_mut(&place));
            kernels.normalize(&operation, &x.view(&place), None, None, &mut target, Saved::default()).unwrap();
            result
        };
        assert_eq!(normalize(&[1, 1]), normalize(&[1]), "{kernels:?}");
        assert_eq!(normalize(&[2, 1, 2]), normalize(&[1, 2]), "{kernels:?}");
    }
}
