//! One case through every backend, out of place and in place, compared with the reference on plain rows.
//!
//! What is expected is computed once, by the reference on contiguous copies of the operands, and laid where it belongs by
//! this file's own arithmetic. So the reference is tested on strides like all others, and so is every byte around the
//! result.

use stratal_kernels::Kernels;
use stratal_tensor_base::DType;

use crate::array::Array;
use crate::backends::{BACKENDS, reference};
use crate::operations::{Form, Operation};
use crate::place::Place;
use crate::values::{Generator, is_nan, mixed, mixed_nonzero};

/// Runs an operation on operands where they lie, to a result at a place, through every backend.
pub(crate) fn check(operation: &Operation, operands: &[(&Array, &Place)], dtype: DType, place: &Place) {
    check_with(BACKENDS.iter().map(|kernels| &**kernels), operation, operands, dtype, place);
}

/// [`check`] with operands of random elements at places.
pub(crate) fn check_form(operation: &Operation, form: &Form, places: &[Place], result: &Place, seed: u64) {
    let mut generator = Generator(seed);
    let arrays = random_operands(operation, form, places, &mut generator);
    let operands: Vec<(&Array, &Place)> = arrays.iter().zip(places).collect();
    check(operation, &operands, form.result, result);
}

/// Buffers with random elements for which the operation has results.
pub(crate) fn random_operands(
    operation: &Operation,
    form: &Form,
    places: &[Place],
    generator: &mut Generator,
) -> Vec<Array> {
    let with_zeros = |dtype: &DType| !operation.can_fail(*dtype);
    let operand = |(dtype, place): (&DType, &Place)| match with_zeros(dtype) {
        true => mixed(*dtype, place.buffer, generator),
        false => mixed_nonzero(*dtype, place.buffer, generator),
    };
    assert_eq!(form.operands.len(), places.len());
    form.operands.iter().zip(places).map(operand).collect()
}

/// [`check`] through certain backends.
pub(crate) fn check_with<'a>(
    backends: impl Iterator<Item = &'a dyn Kernels>,
    operation: &Operation,
    operands: &[(&Array, &Place)],
    dtype: DType,
    place: &Place,
) {
    let rows: Vec<Array> = operands.iter().map(|(array, place)| array.gather(&place.positions())).collect();
    let result = expected(operation, &rows, dtype, place.count());
    let positions = place.positions();
    let canary = Array::canary(dtype, place.buffer);
    let mut whole = canary.clone();
    whole.scatter(&positions, &result);
    let views: Vec<_> = operands.iter().map(|(array, place)| array.view(place)).collect();
    let is_exact = operation.moves_bits();
    for kernels in backends {
        let context =
            |form: &str| format!("{operation:?} {form} on {} from {operands:?} to {place:?}", kernels.backend());
        let mut found = canary.clone();
        operation.run(kernels, &views, &mut found.view_mut(place)).unwrap();
        compare(&found, &whole, &positions, is_exact, || context("out of place"));
        if operands.first().is_some_and(|(first, _)| first.dtype == dtype) {
            let mut found = canary.clone();
            found.scatter(&positions, &rows[0]);
            if let Some(outcome) = operation.run_in_place(kernels, &mut found.view_mut(place), &views[1..]) {
                outcome.unwrap();
                compare(&found, &whole, &positions, is_exact, || context("in place"));
            }
        }
    }
}

/// What the reference gives for rows of elements.
pub(crate) fn expected(operation: &Operation, rows: &[Array], dtype: DType, count: usize) -> Array {
    let mut result = Array::canary(dtype, count);
    let place = Place { buffer: count, ..Place::dense(&[count as i64], 0) };
    let views: Vec<_> = rows.iter().map(|row| row.view(&place)).collect();
    operation.run(reference(), &views, &mut result.view_mut(&place)).unwrap();
    result
}

/// Compares buffers: equal bytes, except that one NaN among the results is as good as another unless bits are moved.
pub(crate) fn compare(
    found: &Array,
    expected: &Array,
    results: &[usize],
    is_exact: bool,
    context: impl Fn() -> String,
) {
    if found == expected {
        return;
    }
    let dtype = expected.dtype;
    let mut is_result = vec![false; expected.count()];
    results.iter().for_each(|position| is_result[*position] = true);
    for (position, is_result) in is_result.into_iter().enumerate() {
        let (is, should) = (found.get(position), expected.get(position));
        let are_nan = is_nan(dtype, is) && is_nan(dtype, should);
        if is == should || (are_nan && !is_exact && is_result) {
            continue;
        }
        let logical = results.iter().position(|result| *result == position);
        let mut context = context();
        context.truncate(1500);
        panic!("{is:#x} instead of {should:#x} in {dtype} at {position}, element {logical:?}: {context}");
    }
}
