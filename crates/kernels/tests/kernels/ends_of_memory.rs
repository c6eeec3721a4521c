//! Operands and results that end right before, or begin right behind, a page that nobody may touch.
//!
//! A load or store of a whole vector where fewer elements are left would end the process.

use stratal_tensor_base::{DType, Geometry, Shape};

use crate::EMULATED;
use crate::array::{Array, view, view_mut};
use crate::backends::BACKENDS;
use crate::guarded::Guarded;
use crate::operations::{Form, OPERATIONS, Operation};
use crate::place::Place;
use crate::runner::{compare, expected, random_operands};
use crate::values::Generator;

#[derive(Clone, Copy)]
enum End {
    First,
    Last,
}

/// A pair of guarded areas for each of up to three operands and the result.
fn at_the_end_of_memory(end: End) {
    let mut areas: Vec<Guarded> = (0..4).map(|_| Guarded::new(200 * 8)).collect();
    for operation in OPERATIONS.iter() {
        for form in operation.forms() {
            let step = match (EMULATED, form.operands[0]) {
                (true, _) => 37,
                // All lengths for one dtype of each size, some for the others.
                (false, DType::F32 | DType::F16 | DType::I8 | DType::F64) => 1,
                (false, _) => 7,
            };
            for length in (0..=200).step_by(step) {
                guarded_row(operation, &form, length, end, &mut areas);
            }
        }
    }
}

fn guarded_row(operation: &Operation, form: &Form, length: usize, end: End, areas: &mut [Guarded]) {
    let place = Place { buffer: length, ..Place::dense(&[length as i64], 0) };
    let places = vec![place.clone(); form.operands.len()];
    let arrays = random_operands(operation, form, &places, &mut Generator(length as u64));
    let result = expected(operation, &arrays, form.result, length);
    let geometry = Geometry::contiguous(Shape::new(&[length as i64]).unwrap());
    let positions: Vec<usize> = (0..length).collect();
    let (last, rest) = areas.split_last_mut().unwrap();
    let target = match end {
        End::First => last.first(length * form.result.size()),
        End::Last => last.last(length * form.result.size()),
    };
    let mut views = Vec::new();
    for (array, area) in arrays.iter().zip(rest) {
        let bytes = match end {
            End::First => area.first(array.bytes().len()),
            End::Last => area.last(array.bytes().len()),
        };
        bytes.copy_from_slice(array.bytes());
        views.push(view(array.dtype, bytes, geometry));
    }
    for kernels in BACKENDS.iter() {
        let context = || format!("{operation:?} on {} at the end of memory, length {length}", kernels.backend());
        target.fill(0xA5);
        operation.run(&**kernels, &views, &mut view_mut(form.result, target, geometry)).unwrap();
        let mut found = Array::canary(form.result, length);
        found.bytes_mut().copy_from_slice(target);
        compare(&found, &result, &positions, operation.moves_bits(), context);
        if form.operands[0] == form.result {
            target.copy_from_slice(arrays[0].bytes());
            let mut first = view_mut(form.result, target, geometry);
            if let Some(outcome) = operation.run_in_place(&**kernels, &mut first, &views[1..]) {
                outcome.unwrap();
                found.bytes_mut().copy_from_slice(target);
                compare(&found, &result, &positions, operation.moves_bits(), context);
            }
        }
    }
}

#[test]
fn nothing_is_touched_behind_the_last_element() {
    at_the_end_of_memory(End::Last);
}

#[test]
fn nothing_is_touched_before_the_first_element() {
    at_the_end_of_memory(End::First);
}
