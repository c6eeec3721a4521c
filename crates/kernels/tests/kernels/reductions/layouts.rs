//! Every operation and dtype, along inner, outer and several axes, wherever the elements lie.

use stratal_tensor_base::DType;

use super::calls::{CALLS, Case, Layout};
use crate::EMULATED;
use crate::place::{Place, in_order, row_major};

const EXTENTS: [i64; 3] = [5, 19, 34];

/// Row-major, other orders, broadcast along each axis, reversed, with gaps, all elements the same.
fn strides() -> Vec<Vec<i64>> {
    let dense = row_major(&EXTENTS);
    let mut strides = vec![
        dense.clone(),
        in_order(&EXTENTS, &[2, 1, 0], 1),
        in_order(&EXTENTS, &[1, 0, 2], 1),
        in_order(&EXTENTS, &[0, 2, 1], 3),
        dense.iter().map(|stride| -stride).collect(),
        vec![-dense[0], dense[1] + 7, 1],
        vec![0; 3],
    ];
    for axis in 0..3 {
        let mut broadcast = dense.clone();
        broadcast[axis] = 0;
        strides.push(broadcast);
    }
    strides
}

#[test]
fn all_operations_along_all_axes_of_all_layouts() {
    let all_axes: &[&[usize]] = &[&[0], &[1], &[2], &[0, 1], &[1, 2], &[0, 2], &[0, 1, 2], &[]];
    let mut seed = 0;
    for call in CALLS.iter() {
        for dtype in DType::ALL.into_iter().filter(|dtype| call.is_defined(*dtype)) {
            for (number, strides) in strides().iter().enumerate() {
                let place = Place::new(&EXTENTS, strides, 2);
                for axes in all_axes {
                    seed += 1;
                    let is_rare = call.is_minor() || !matches!(dtype, DType::F32 | DType::BF16 | DType::I32);
                    if (EMULATED && seed % 29 != 0) || (is_rare && seed % 4 != 0) {
                        continue;
                    }
                    let others = others(number, axes);
                    let layout = if seed % 3 == 0 { Layout::Sparse } else { Layout::Dense };
                    let case = Case { call, dtype, axes, places: [&place, &others], layout };
                    case.check_plain(seed);
                    case.check_mixed(seed);
                }
            }
        }
    }
}

/// A place for scales and biases: of each element, along the rows, across them, of all.
fn others(number: usize, axes: &[usize]) -> Place {
    let dense = row_major(&EXTENTS);
    let keep = |is_kept: &dyn Fn(usize) -> bool| -> Vec<i64> {
        dense.iter().enumerate().map(|(axis, stride)| if is_kept(axis) { *stride } else { 0 }).collect()
    };
    let strides = match number % 5 {
        0 => keep(&|axis| axes.contains(&axis)),
        1 => keep(&|axis| !axes.contains(&axis)),
        2 => keep(&|axis| axis == 1),
        3 => keep(&|_| false),
        _ => in_order(&EXTENTS, &[1, 2, 0], 1),
    };
    Place::new(&EXTENTS, &strides, 1)
}

/// Rows that are gathered in several pieces, of 16-bit floats too, and tables of columns with several blocks.
#[test]
fn long_rows_that_do_not_lie_side_by_side() {
    let length = if EMULATED { 1100 } else { 9000 };
    for call in CALLS.iter().filter(|call| !call.is_minor()) {
        for dtype in [DType::F32, DType::F16, DType::F64, DType::I64, DType::Bool] {
            if !call.is_defined(dtype) || (EMULATED && dtype != DType::F32) {
                continue;
            }
            for (extents, strides, axis) in [
                ([length, 3], [3, 1], 0),
                ([length, 70], [70, 1], 0),
                ([2, length], [1, 2], 1),
                ([2, length], [-length * 3, -3], 1),
            ] {
                let place = Place::new(&extents, &strides, 1);
                let others = Place::new(&extents, &[1, 1], 1);
                let case = Case { call, dtype, axes: &[axis], places: [&place, &others], layout: Layout::Dense };
                case.check_plain(3);
            }
        }
    }
}

/// Shapes with nothing in them, along the rows or across.
#[test]
fn empty_operands() {
    for call in CALLS.iter() {
        for dtype in DType::ALL.into_iter().filter(|dtype| call.is_defined(*dtype)) {
            for extents in [[3, 0, 2], [0, 3, 2], [3, 2, 0], [0, 0, 0], [0, 1, 0]] {
                for axes in [&[0][..], &[1], &[2], &[0, 1], &[1, 2], &[0, 1, 2], &[]] {
                    let dense = row_major(&extents);
                    for strides in [dense.clone(), vec![7, 3, 1], vec![1, 3, 9], vec![0; 3]] {
                        let place = Place::new(&extents, &strides, 0);
                        let case = Case { call, dtype, axes, places: [&place, &place], layout: Layout::Dense };
                        case.check_mixed(1);
                    }
                }
            }
        }
    }
}

/// A scalar, and axes of one element, whose strides mean nothing.
#[test]
fn single_elements() {
    for call in CALLS.iter() {
        for dtype in DType::ALL.into_iter().filter(|dtype| call.is_defined(*dtype)) {
            for (extents, strides) in [(&[][..], &[][..]), (&[1, 1], &[5, -3]), (&[1, 4], &[0, 1]), (&[4, 1], &[1, 1])]
            {
                for axes in [&[0][..], &[1], &[0, 1], &[]] {
                    if axes.iter().any(|axis| *axis >= extents.len()) {
                        continue;
                    }
                    let place = Place::new(extents, strides, 1);
                    let case = Case { call, dtype, axes, places: [&place, &place], layout: Layout::Sparse };
                    case.check_mixed(9);
                }
            }
        }
    }
}
