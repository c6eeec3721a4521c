//! A NaN at every position of a row, and ties.

use stratal_kernels::reduce::{ArgReduction, Extreme, L1Norm, LogSumExp, Max, Mean, Min, Prod, Reduction, Sum, Tie};
use stratal_kernels::{KernelError, Kernels, Softmax};
use stratal_tensor_base::DType;

use crate::EMULATED;
use crate::array::Array;
use crate::backends::BACKENDS;
use crate::place::Place;
use crate::values::{is_nan, nans};

/// Rows of these elements, and the same rows as columns.
fn both_ways(row: &Array, rows: usize, check: impl Fn(&Array, &Place, usize)) {
    let length = row.count();
    let repeated = Array::new(row.dtype, (0..rows).flat_map(|_| row.patterns()));
    let inner = Place { buffer: rows * length, ..Place::dense(&[rows as i64, length as i64], 0) };
    check(&repeated, &inner, 1);
    let columns = Array::new(row.dtype, row.patterns().flat_map(|pattern| vec![pattern; rows]));
    let outer = Place { buffer: rows * length, ..Place::dense(&[length as i64, rows as i64], 0) };
    check(&columns, &outer, 0);
}

fn reduced(extents: &[i64], axis: usize) -> Place {
    let mut extents = extents.to_vec();
    extents[axis] = 1;
    let place = Place::dense(&extents, 0);
    Place { buffer: place.count(), ..place }
}

fn reduce(kernels: &dyn Kernels, operation: &dyn Reduction, x: &Array, place: &Place, axis: usize) -> Array {
    let target = reduced(&place.extents, axis);
    let mut result = Array::canary(x.dtype, target.buffer);
    kernels.reduce(operation, &x.view(place), &mut result.view_mut(&target)).unwrap();
    result
}

fn arg(kernels: &dyn Kernels, operation: ArgReduction, x: &Array, place: &Place, axis: usize) -> Vec<i64> {
    let target = reduced(&place.extents, axis);
    let mut result = Array::canary(DType::I64, target.buffer);
    kernels.arg_reduce(operation, axis, &x.view(place), &mut result.view_mut(&target)).unwrap();
    result.to_vec()
}

fn positions(length: usize) -> Vec<usize> {
    let step = if EMULATED { 37 } else { 1 };
    (0..length)
        .step_by(step)
        .filter(|position| *position < 130 || position % 61 == 0 || position + 3 > length)
        .collect()
}

#[test]
fn nan_wins_wherever_it_is() {
    let operations: [&dyn Reduction; 7] = [&Sum, &Mean, &Prod, &Min, &Max, &L1Norm, &LogSumExp];
    for dtype in [DType::F32, DType::F16, DType::BF16, DType::F64] {
        let one = if dtype == DType::F64 { 1_f64.to_bits() } else { 0x3C00 };
        for length in [1, 16, 17, 70, 1025] {
            for position in positions(length) {
                let mut row = Array::new(dtype, vec![one; length]);
                row.set(position, nans(dtype)[position % 8]);
                both_ways(&row, 3, |x, place, axis| {
                    for kernels in BACKENDS.iter() {
                        for operation in operations {
                            let result = reduce(&**kernels, operation, x, place, axis);
                            let all_nan = result.patterns().all(|pattern| is_nan(dtype, pattern));
                            assert!(all_nan, "{operation:?} of {dtype} at {position} on {kernels:?}");
                        }
                        for extreme in [Extreme::Min, Extreme::Max] {
                            for tie in [Tie::First, Tie::Last] {
                                let found = arg(&**kernels, ArgReduction { extreme, tie }, x, place, axis);
                                assert_eq!(found, [position as i64; 3], "{extreme:?} of {dtype} on {kernels:?}");
                            }
                        }
                    }
                });
            }
        }
    }
}

/// The first of several NaN, also in another block, and whichever of equal elements is named.
#[test]
fn the_first_nan_and_the_named_one_of_equals() -> Result<(), KernelError> {
    for (first, second) in [(0, 1), (3, 500), (3, 1024), (1500, 2047), (1023, 2050)] {
        let mut nans = vec![1.0_f32; 2100];
        (nans[first], nans[second]) = (f32::NAN, -f32::NAN);
        let mut peaks = vec![1.0_f32; 2100];
        (peaks[first], peaks[second]) = (8.0, 8.0);
        let mut zeros = vec![-1.0_f32; 2100];
        (zeros[first], zeros[second]) = (-0.0, 0.0);
        let wide: Vec<f64> = peaks.iter().map(|x| (*x).into()).collect();
        let numbers: Vec<i16> = peaks.iter().map(|x| *x as i16).collect();
        for kernels in BACKENDS.iter() {
            for (tie, peak) in [(Tie::First, first), (Tie::Last, second)] {
                let operation = ArgReduction { extreme: Extreme::Max, tie };
                for (array, expected) in [
                    (Array::of(&nans), first),
                    (Array::of(&peaks), peak),
                    (Array::of(&zeros), peak),
                    (Array::of(&wide), peak),
                    (Array::of(&numbers), peak),
                ] {
                    both_ways(&array, 2, |x, place, axis| {
                        let found = arg(&**kernels, operation, x, place, axis);
                        assert_eq!(found, [expected as i64; 2], "{operation:?} {} on {kernels:?}", x.dtype);
                    });
                }
            }
        }
    }
    Ok(())
}

#[test]
fn a_nan_makes_the_whole_softmax_nan() -> Result<(), KernelError> {
    for length in [1, 17, 64, 1025] {
        for position in positions(length) {
            let mut row = vec![0.5_f32; length];
            row[position] = f32::NAN;
            for kernels in BACKENDS.iter() {
                let x = Array::of(&row);
                let mut result = Array::canary(DType::F32, length);
                kernels.softmax(&Softmax::along(0), &x.row(), &mut result.row_mut())?;
                assert!(result.to_vec::<f32>().iter().all(|x| x.is_nan()), "{position} of {length} on {kernels:?}");
            }
        }
    }
    Ok(())
}
