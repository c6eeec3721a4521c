//! One call through every backend, compared with the lists.

use std::sync::Arc;

use stratal_kernels::Kernels;
use stratal_tensor_base::DType;

use super::calls::Call;
use super::lists::{Tensor, model};
use crate::array::Array;
use crate::backends::{BACKENDS, reference};
use crate::place::Place;
use crate::runner::compare;

/// A buffer and where in it an operand lies.
pub(crate) type Operand = (Array, Place);

/// Runs a call through every backend to a result that lies somewhere, which is told its extents.
pub(crate) fn check(call: &Call, operands: &[Operand], place: impl FnOnce(&[i64]) -> Place) {
    let tensors: Vec<Tensor> = operands.iter().map(|(array, place)| Tensor::new(array, place)).collect();
    let expected = model(call, &tensors);
    let place = place(&expected.extents);
    let expected = Array::new(expected.dtype, expected.patterns());
    check_result(call, operands, &expected, &place, BACKENDS.iter().map(|kernels| &**kernels));
}

/// [`check`] against the reference, through certain backends and to several places: for problems too large for lists.
pub(crate) fn check_with_reference(
    call: &Call,
    operands: &[Operand],
    (dtype, places): (DType, &[Place]),
    backends: &[Arc<dyn Kernels>],
) {
    let views: Vec<_> = operands.iter().map(|(array, place)| array.view(place)).collect();
    let (extents, count) = (&places[0].extents, places[0].count());
    let mut result = Array::canary(dtype, count);
    let row = Place { buffer: count, ..Place::dense(extents, 0) };
    call.run(reference(), &views, &mut result.view_mut(&row)).unwrap();
    for place in places {
        check_result(call, operands, &result, place, backends.iter().map(|kernels| &**kernels));
    }
}

fn check_result<'a>(
    call: &Call,
    operands: &[Operand],
    expected: &Array,
    place: &Place,
    backends: impl Iterator<Item = &'a dyn Kernels>,
) {
    let positions = place.positions();
    let canary = Array::canary(expected.dtype, place.buffer);
    let mut whole = canary.clone();
    whole.scatter(&positions, expected);
    let views: Vec<_> = operands.iter().map(|(array, place)| array.view(place)).collect();
    for kernels in backends {
        let context = |form: &str| {
            let mut operands = format!("{operands:?}");
            operands.truncate(1000);
            format!("{call:?} {form} on {kernels:?} to {place:?} from {operands}")
        };
        let mut found = canary.clone();
        let outcome = call.run(kernels, &views, &mut found.view_mut(place));
        assert!(outcome.is_ok(), "{outcome:?} of {}", context(""));
        compare(&found, &whole, &positions, call.moves_bits(), || context(""));
        let mut found = canary.clone();
        let first = operands[0].0.gather(&operands[0].1.positions());
        if first.count() == positions.len() && first.dtype == found.dtype {
            found.scatter(&positions, &first);
        }
        if let Some(outcome) = call.run_in_place(kernels, &mut found.view_mut(place), &views[1..]) {
            assert!(outcome.is_ok(), "{outcome:?} of {}", context("in place"));
            compare(&found, &whole, &positions, call.moves_bits(), || context("in place"));
        }
    }
}
