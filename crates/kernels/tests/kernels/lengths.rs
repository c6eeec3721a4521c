//! Rows of every length: blocks, vectors and what is left over, at every start within a vector, with strides.

use stratal_tensor_base::DType;

use crate::EMULATED;
use crate::operations::{Form, Kind, OPERATIONS, Operation};
use crate::place::Place;
use crate::runner::check_form;

/// Lengths around those of vectors, runs and blocks.
const TELLING: [i64; 12] = [1, 2, 3, 15, 17, 31, 63, 64, 65, 511, 513, 1100];

fn rows_of_every_length(is_wanted: fn(&Kind) -> bool) {
    let step = if EMULATED { 13 } else { 1 };
    for operation in OPERATIONS.iter().filter(|operation| is_wanted(&operation.kind)) {
        for form in operation.forms() {
            for length in (0..=200).step_by(step) {
                for start in starts(&form, length) {
                    row(operation, &form, length, start);
                }
            }
        }
    }
}

/// All starts within four elements for the chief dtypes, one for the others.
fn starts(form: &Form, length: i64) -> Vec<i64> {
    match form.result {
        DType::F32 | DType::F16 | DType::I8 if form.operands[0] == form.result => vec![0, 1, 2, 3],
        _ => vec![length * 5 % 4],
    }
}

fn row(operation: &Operation, form: &Form, length: i64, start: i64) {
    let places: Vec<Place> =
        (0..form.operands.len() as i64).map(|operand| Place::dense(&[length], (start + operand) % 4)).collect();
    check_form(operation, form, &places, &Place::dense(&[length], (start + 2) % 4), length as u64);
}

#[test]
fn unary_rows_of_every_length() {
    rows_of_every_length(|kind| matches!(kind, Kind::Unary(_) | Kind::Predicate(_)));
}

#[test]
fn binary_rows_of_every_length() {
    rows_of_every_length(|kind| matches!(kind, Kind::Binary(_)));
}

#[test]
fn compared_rows_of_every_length() {
    rows_of_every_length(|kind| matches!(kind, Kind::Comparison(_) | Kind::Select));
}

#[test]
fn cast_and_copied_rows_of_every_length() {
    rows_of_every_length(|kind| matches!(kind, Kind::Cast | Kind::Copy));
}

/// Strides of operands: 0 is a broadcast scalar.
const OPERAND_STRIDES: [i64; 5] = [1, -1, 0, 3, -2];
/// Strides of results.
const RESULT_STRIDES: [i64; 4] = [1, -1, 3, -2];

#[test]
fn rows_of_any_strides() {
    for operation in OPERATIONS.iter() {
        for (number, form) in operation.forms().iter().enumerate() {
            let is_chief = matches!(form.operands[form.operands.len() - 1], DType::F32 | DType::BF16 | DType::I8);
            let has_many_cases = matches!(operation.kind, Kind::Cast | Kind::Select);
            let thinning = match (is_chief && !has_many_cases, EMULATED) {
                (true, false) => 1,
                (false, false) => 11,
                (true, true) => 41,
                (false, true) => 401,
            };
            let operands = form.operands.len() as u32;
            let combinations = OPERAND_STRIDES.len().pow(operands) * RESULT_STRIDES.len() * TELLING.len();
            for case in (number % thinning..combinations).step_by(thinning) {
                strided_row(operation, form, case);
            }
        }
    }
}

/// A case number as the choice of each stride and of the length.
fn strided_row(operation: &Operation, form: &Form, mut case: usize) {
    let seed = case as u64;
    let mut choose = |count: usize| {
        let choice = case % count;
        case /= count;
        choice
    };
    let length = TELLING[choose(TELLING.len())];
    let result = Place::new(&[length], &[RESULT_STRIDES[choose(RESULT_STRIDES.len())]], 1);
    let places: Vec<Place> = (0..form.operands.len())
        .map(|operand| Place::new(&[length], &[OPERAND_STRIDES[choose(OPERAND_STRIDES.len())]], operand as i64))
        .collect();
    check_form(operation, form, &places, &result, seed);
}
