//! NaN at every position of rows of every length, on either side.

use stratal_tensor_base::DType;

use crate::EMULATED;
use crate::array::Array;
use crate::backends::BACKENDS;
use crate::operations::{Form, Kind, OPERATIONS, Operation};
use crate::place::Place;
use crate::values::{is_nan, nans};

/// A finite number of a float dtype: one.
fn one(dtype: DType) -> u64 {
    match dtype {
        DType::F16 => 0x3C00,
        DType::BF16 => 0x3F80,
        DType::F32 => 0x3F80_0000,
        _ => 0x3FF0_0000_0000_0000,
    }
}

/// Every length with every position of the only NaN in one operand, the other elements being one.
fn each_lane(form: &Form, side: usize, mut check: impl FnMut(Vec<Array>, usize)) {
    let dtype = form.operands[0];
    let nans = nans(dtype);
    for length in if EMULATED { 15..=18_usize } else { 1..=40 } {
        for position in 0..length {
            let mut operands = vec![Array::new(dtype, vec![one(dtype); length]); form.operands.len()];
            operands[side].set(position, nans[(length + position) % nans.len()]);
            check(operands, position);
        }
    }
}

fn results(operation: &Operation, operands: &[Array], dtype: DType) -> Vec<(String, Array)> {
    let length = operands[0].count();
    let place = Place { buffer: length, ..Place::dense(&[length as i64], 0) };
    let views: Vec<_> = operands.iter().map(|operand| operand.view(&place)).collect();
    let run = |kernels: &dyn stratal_kernels::Kernels| {
        let mut result = Array::canary(dtype, length);
        operation.run(kernels, &views, &mut result.view_mut(&place)).unwrap();
        (format!("{operation:?} on {}", kernels.backend()), result)
    };
    BACKENDS.iter().map(|kernels| run(&**kernels)).collect()
}

/// B2 and its kind: NaN propagates through every operation on floats, whichever operand it is in, and only into its own
/// element.
#[test]
fn nan_propagates_from_every_lane_of_every_operand() {
    // One to any power is one, and IEEE 754 means NaN too.
    let propagates = |o: &&Operation| matches!(o.kind, Kind::Unary(_) | Kind::Binary(_)) && o.export != "Pow";
    for operation in OPERATIONS.iter().filter(propagates) {
        for form in operation.forms().iter().filter(|form| form.result.is_float()) {
            for side in 0..form.operands.len() {
                each_lane(form, side, |operands, position| {
                    for (context, result) in results(operation, &operands, form.result) {
                        for (index, pattern) in result.patterns().enumerate() {
                            let should = index == position;
                            assert_eq!(is_nan(form.result, pattern), should, "{context}: {index}, NaN at {position}");
                        }
                    }
                });
            }
        }
    }
}

/// A NaN is unequal to all, and in no order with any.
#[test]
fn nan_compares_with_nothing_in_any_lane() {
    for operation in OPERATIONS.iter().filter(|o| matches!(o.kind, Kind::Comparison(_))) {
        let for_equals = matches!(operation.export, "Equal" | "GreaterOrEqual" | "LessOrEqual");
        let for_nan = operation.export == "NotEqual";
        for form in operation.forms().iter().filter(|form| form.operands[0].is_float()) {
            for side in 0..2 {
                each_lane(form, side, |operands, position| {
                    for (context, result) in results(operation, &operands, form.result) {
                        for (index, truth) in result.patterns().enumerate() {
                            let should = if index == position { for_nan } else { for_equals };
                            assert_eq!(truth, u64::from(should), "{context}: {index}, NaN at {position}");
                        }
                    }
                });
            }
        }
    }
}

#[test]
fn nan_is_recognized_in_every_lane() {
    for operation in OPERATIONS.iter().filter(|o| matches!(o.kind, Kind::Predicate(_))) {
        for form in operation.forms() {
            each_lane(&form, 0, |operands, position| {
                for (context, result) in results(operation, &operands, form.result) {
                    for (index, truth) in result.patterns().enumerate() {
                        let should = operation.export == "IsNan" && index == position;
                        assert_eq!(truth, u64::from(should), "{context}: {index}, NaN at {position}");
                    }
                }
            });
        }
    }
}
