//! All 65,536 patterns of both 16-bit floats through every operation of one operand, and through every cast.

use stratal_tensor_base::DType;

use crate::EMULATED;
use crate::array::Array;
use crate::operations::OPERATIONS;
use crate::place::Place;
use crate::runner::check;

#[test]
fn every_pattern_of_sixteen_bits() {
    let step = if EMULATED { 61 } else { 1 };
    let patterns: Vec<u64> = (0..=u64::from(u16::MAX)).step_by(step).collect();
    let place = Place { buffer: patterns.len(), ..Place::dense(&[patterns.len() as i64], 0) };
    for operation in OPERATIONS.iter() {
        for form in operation.forms() {
            if let [dtype @ (DType::F16 | DType::BF16)] = form.operands[..] {
                let operand = Array::new(dtype, patterns.iter().copied());
                check(operation, &[(&operand, &place)], form.result, &place);
            }
        }
    }
}
