//! Any shape, any strides, any operation: every backend against the reference, and the reference against plain Rust.

use proptest::prelude::*;

use crate::EMULATED;
use crate::array::Array;
use crate::model::check_model;
use crate::operations::{OPERATIONS, Operation};
use crate::place::{Place, in_order};
use crate::runner::{check, random_operands};
use crate::values::Generator;

fn extents() -> impl Strategy<Value = Vec<i64>> {
    let extent = prop_oneof![1 => Just(0_i64), 3 => Just(1), 8 => 2..6_i64, 2 => 9..40_i64, 1 => 60..140_i64];
    proptest::collection::vec(extent, 0..6).prop_filter("small", |extents| extents.iter().product::<i64>() < 3000)
}

/// Row-major strides with the axes shuffled, some of them backwards, some with gaps: no two indices share an element.
pub(crate) fn disjoint(extents: Vec<i64>) -> impl Strategy<Value = Place> {
    let rank = extents.len();
    let order = prop_oneof![Just((0..rank).collect::<Vec<_>>()), Just((0..rank).collect::<Vec<_>>()).prop_shuffle()];
    let flips = proptest::collection::vec(prop_oneof![4 => Just(false), 1 => Just(true)], rank);
    let gaps = proptest::collection::vec(prop_oneof![4 => Just(0_i64), 1 => 1..3_i64], rank);
    let innermost = prop_oneof![3 => Just(1_i64), 1 => 2..4_i64];
    (order, flips, gaps, innermost, 0..4_i64).prop_map(move |(order, flips, gaps, innermost, before)| {
        let with_gaps: Vec<i64> = extents.iter().zip(gaps).map(|(extent, gap)| extent + gap).collect();
        let strides = in_order(&with_gaps, &order, innermost);
        let flipped = strides.iter().zip(&flips).map(|(stride, flip)| if *flip { -stride } else { *stride });
        Place::new(&extents, &flipped.collect::<Vec<_>>(), before)
    })
}

/// As [`disjoint`], broadcast along some axes, or any small strides at all.
pub(crate) fn anywhere(extents: Vec<i64>) -> impl Strategy<Value = Place> {
    let broadcast = proptest::collection::vec(prop_oneof![3 => Just(false), 1 => Just(true)], extents.len());
    let repeated = (disjoint(extents.clone()), broadcast).prop_map(|(place, broadcast)| {
        let strides: Vec<i64> =
            place.strides.iter().zip(broadcast).map(|(stride, is_zero)| if is_zero { 0 } else { *stride }).collect();
        Place::new(&place.extents, &strides, 1)
    });
    let any_strides = proptest::collection::vec(-5..6_i64, extents.len());
    let overlapping = any_strides.prop_map({
        let extents = extents.clone();
        move |strides| Place::new(&extents, &strides, 2)
    });
    prop_oneof![2 => disjoint(extents), 2 => repeated, 1 => overlapping]
}

/// Three operands and a result of one shape.
fn places() -> impl Strategy<Value = ([Place; 3], Place)> {
    extents().prop_flat_map(|extents| {
        let operands = [anywhere(extents.clone()), anywhere(extents.clone()), anywhere(extents.clone())];
        (operands, disjoint(extents))
    })
}

fn operation() -> impl Strategy<Value = &'static Operation> {
    (0..OPERATIONS.len()).prop_map(|number| &OPERATIONS[number])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if EMULATED { 100 } else { 3000 }))]

    #[test]
    fn any_operation_anywhere(
        operation in operation(),
        form in any::<proptest::sample::Index>(),
        (places, result) in places(),
        seed in any::<u64>(),
    ) {
        let forms = operation.forms();
        let form = form.get(&forms);
        let places = &places[..form.operands.len()];
        let arrays = random_operands(operation, form, places, &mut Generator(seed));
        let operands: Vec<(&Array, &Place)> = arrays.iter().zip(places).collect();
        check(operation, &operands, form.result, &result);
        let rows: Vec<Array> = operands.iter().map(|(array, place)| array.gather(&place.positions())).collect();
        check_model(operation.export, form, &rows);
    }
}
