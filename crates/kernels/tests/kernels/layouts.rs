//! Shapes up to rank 8 in every layout: permuted, channels last, padded, flipped, broadcast, windows that overlap.

use stratal_tensor_base::DType;

use crate::EMULATED;
use crate::operations::{Form, Kind, OPERATIONS, Operation};
use crate::place::{Place, in_order, row_major};
use crate::runner::{check, check_form};
use crate::values::{Generator, mixed_nonzero};

const SHAPES: [&[i64]; 13] = [
    &[],
    &[0],
    &[1],
    &[3, 0, 2],
    &[1, 1, 1],
    &[5, 37],
    &[70, 9],
    &[2, 700],
    &[3, 4, 50],
    &[3, 65, 3],
    &[2, 3, 5, 20],
    &[2, 1, 3, 1, 2, 2, 1, 5],
    &[2, 2, 2, 2, 2, 2, 2, 2],
];

/// Strides without overlap, for operands and results.
fn disjoint(extents: &[i64]) -> Vec<Vec<i64>> {
    let rank = extents.len();
    let plain = row_major(extents);
    let mut list = vec![plain.clone()];
    // Flipped along every axis, and along the last.
    list.push(plain.iter().map(|stride| -stride).collect());
    list.push(
        plain.iter().enumerate().map(|(axis, stride)| if axis + 1 == rank { -stride } else { *stride }).collect(),
    );
    // Every second and every third element.
    list.push(plain.iter().map(|stride| 2 * stride).collect());
    list.push(plain.iter().map(|stride| -3 * stride).collect());
    if rank >= 2 {
        // Column-major, the first axis innermost, and axes nested in the order of channels last: 0, 2, 3, ..., 1.
        list.push(in_order(extents, &(0..rank).rev().collect::<Vec<_>>(), 1));
        list.push(in_order(extents, &(1..rank).chain([0]).collect::<Vec<_>>(), 1));
        let channels_last: Vec<usize> = [0].into_iter().chain(2..rank).chain([1]).collect();
        list.push(in_order(extents, &channels_last, 1));
        list.push(in_order(extents, &channels_last, 2));
        // Rows with padding behind them; a window of channels-last pixels.
        let mut padded = extents.to_vec();
        padded[rank - 1] += 3;
        list.push(row_major(&padded));
        let mut padded = extents.to_vec();
        padded[1] += 2;
        list.push(in_order(&padded, &channels_last, 1));
    }
    list
}

/// Strides by which several indices read one element, for operands only.
fn shared(extents: &[i64]) -> Vec<Vec<i64>> {
    let rank = extents.len();
    let mut list = vec![vec![0; rank]];
    for axis in 0..rank {
        // Broadcast along one axis; along all but one.
        let mut kept = extents.to_vec();
        kept[axis] = 1;
        let mut strides = row_major(&kept);
        strides[axis] = 0;
        list.push(strides);
        let mut strides = vec![0; rank];
        strides[axis] = 1;
        list.push(strides);
    }
    // Windows of a row: each begins one element behind the one before.
    list.push(vec![1; rank]);
    list.push((0..rank).map(|axis| if axis + 1 == rank { -1 } else { 1 + axis as i64 }).collect());
    list
}

/// Every layout of the result with every layout of the operands, thinned out.
fn layouts(operation: &Operation, form: &Form, thinning: usize) {
    let mut number: usize = thinning / 2;
    for extents in SHAPES {
        let results = disjoint(extents);
        let operands: Vec<Vec<i64>> = results.iter().cloned().chain(shared(extents)).collect();
        for result in &results {
            for choice in 0..operands.len() {
                number += 1;
                if !number.is_multiple_of(thinning) {
                    continue;
                }
                let place = |operand: usize| {
                    let strides = &operands[(choice + operand * (number / 3 % 5)) % operands.len()];
                    Place::new(extents, strides, operand as i64)
                };
                let places: Vec<Place> = (0..form.operands.len()).map(place).collect();
                check_form(operation, form, &places, &Place::new(extents, result, 3), number as u64);
            }
        }
    }
}

fn layouts_of(is_wanted: fn(&Kind) -> bool) {
    for operation in OPERATIONS.iter().filter(|operation| is_wanted(&operation.kind)) {
        for (number, form) in operation.forms().iter().enumerate() {
            let thinning = match form.operands[form.operands.len() - 1] {
                // Primes, so that each form meets other cases.
                _ if EMULATED => 997,
                _ if matches!(operation.kind, Kind::Cast) => 97,
                DType::F32 => 3,
                DType::F16 | DType::I64 => 11,
                _ => [17, 19, 23, 29, 31][number % 5],
            };
            layouts(operation, form, thinning);
        }
    }
}

#[test]
fn unary_in_every_layout() {
    layouts_of(|kind| matches!(kind, Kind::Unary(_) | Kind::Predicate(_)));
}

#[test]
fn binary_in_every_layout() {
    layouts_of(|kind| matches!(kind, Kind::Binary(_)));
}

#[test]
fn compared_selected_cast_and_copied_in_every_layout() {
    layouts_of(|kind| matches!(kind, Kind::Comparison(_) | Kind::Select | Kind::Cast | Kind::Copy));
}

/// Two operands that see one buffer, shifted, reversed, transposed, or as overlapping windows.
#[test]
fn operands_may_share_memory() {
    let extents = [9, 40];
    let views = [
        Place { offset: 3, ..Place::new(&extents, &[40, 1], 0) },
        Place { offset: 4, ..Place::new(&extents, &[40, 1], 0) },
        Place { offset: 3 + 359, ..Place::new(&extents, &[-40, -1], 0) },
        Place { offset: 0, ..Place::new(&extents, &[1, 9], 0) },
        Place { offset: 2, ..Place::new(&extents, &[1, 1], 0) },
        Place { offset: 7, ..Place::new(&extents, &[0, 1], 0) },
    ]
    .map(|place| Place { buffer: 370, ..place });
    for operation in OPERATIONS.iter() {
        for form in operation.forms() {
            if form.operands.len() != 2 {
                continue;
            }
            let buffer = mixed_nonzero(form.operands[0], 370, &mut Generator(11));
            for (number, a) in views.iter().enumerate() {
                for b in &views[number..] {
                    check(operation, &[(&buffer, a), (&buffer, b)], form.result, &Place::dense(&extents, 1));
                }
            }
        }
    }
}

/// All layouts of the list are ones that a result may have.
#[test]
fn disjoint_layouts_are_disjoint() {
    for extents in SHAPES {
        for strides in disjoint(extents) {
            let mut positions = Place::new(extents, &strides, 0).positions();
            positions.sort_unstable();
            assert!(positions.is_sorted_by(|a, b| a < b), "{extents:?} {strides:?}");
        }
    }
}
