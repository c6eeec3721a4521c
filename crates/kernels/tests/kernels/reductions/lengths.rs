//! Rows of every length at which something begins: vectors, partial results, blocks, pieces.

use stratal_tensor_base::DType;

use super::calls::{CALLS, Call, Case, Layout};
use crate::EMULATED;
use crate::place::Place;

fn lengths() -> Vec<i64> {
    if EMULATED {
        return vec![15, 17, 64, 100, 1025];
    }
    let mut lengths: Vec<i64> = (0..=70).collect();
    lengths.extend([127, 128, 129, 255, 1008, 1023, 1024, 1025, 1040, 2047, 2048, 2049, 3072, 3100]);
    lengths.extend([4095, 4096, 4097, 5120, 7168, 8191, 8192, 8193, 12_289]);
    lengths
}

#[test]
fn rows_side_by_side() {
    for call in CALLS.iter().filter(|call| !(EMULATED && call.is_minor())) {
        for length in lengths() {
            for dtype in [DType::F32, DType::F16, DType::BF16, DType::F64, DType::U8, DType::I64, DType::Bool] {
                let is_rare = dtype != DType::F32 && (length > 20 && length % 5 != 0);
                if !call.is_defined(dtype) || is_rare {
                    continue;
                }
                let place = Place::dense(&[2, length], 1);
                let case = Case { call, dtype, axes: &[1], places: [&place, &place], layout: Layout::Dense };
                case.check_plain(length as u64);
                case.check_mixed(length as u64);
            }
        }
    }
}

/// Sixteen rows and more, which are combined together, and columns of every number.
#[test]
fn many_short_rows() {
    let rows = if EMULATED { vec![16, 33] } else { vec![1, 2, 15, 16, 17, 31, 32, 63, 64, 65, 100, 129] };
    for call in CALLS.iter().filter(|call| !(EMULATED && call.is_minor())) {
        for &rows in &rows {
            for length in [1, 5, 16, 40, 67] {
                for (extents, axis) in [([rows, length], 1), ([length, rows], 0)] {
                    for dtype in [DType::F32, DType::F16].into_iter().filter(|dtype| call.is_defined(*dtype)) {
                        let place = Place::dense(&extents, 1);
                        let case = Case { call, dtype, axes: &[axis], places: [&place, &place], layout: Layout::Dense };
                        case.check_plain(rows as u64);
                        case.check_mixed(rows as u64);
                    }
                }
            }
        }
    }
}

/// One scale and bias for all rows, as layers have them: rows on their own, and sixteen at a time where they are short.
#[test]
fn rows_that_share_a_scale() {
    let rows = if EMULATED { vec![1, 17] } else { vec![1, 2, 15, 16, 17, 33] };
    let lengths = if EMULATED { vec![17, 257] } else { vec![1, 15, 16, 17, 64, 255, 256, 257, 1024, 1025, 3000] };
    for call in CALLS.iter().filter(|call| matches!(call, Call::Normalize { .. })) {
        for (&rows, &length) in rows.iter().flat_map(|rows| lengths.iter().map(move |length| (rows, length))) {
            let (place, shared) = (Place::dense(&[rows, length], 1), Place::new(&[rows, length], &[0, 1], 1));
            let case = Case { call, dtype: DType::F32, axes: &[1], places: [&place, &shared], layout: Layout::Dense };
            case.check_plain(length as u64);
            case.check_mixed(length as u64);
        }
    }
}

/// Short rows at a time up to the length from which they are worked on alone.
#[test]
fn sixteen_rows_of_almost_any_length() {
    for call in CALLS.iter().filter(|call| matches!(call, Call::Softmax(..) | Call::SoftmaxInPlace(..))) {
        for length in if EMULATED { vec![255] } else { vec![100, 240, 255, 256, 257, 300] } {
            let place = Place::dense(&[35, length], 1);
            let case = Case { call, dtype: DType::F32, axes: &[1], places: [&place, &place], layout: Layout::Dense };
            case.check_plain(length as u64);
            case.check_mixed(length as u64);
        }
    }
}

/// Rows that lie beside each other, around the numbers at which they are staged together.
#[test]
fn rows_beside_each_other() {
    for call in CALLS.iter().filter(|call| !call.is_minor()) {
        for (rows, length) in [(7, 90), (8, 90), (9, 300), (16, 1100), (40, 700)] {
            if EMULATED && length > 100 {
                continue;
            }
            for dtype in
                [DType::F32, DType::F16, DType::F64, DType::U8].into_iter().filter(|dtype| call.is_defined(*dtype))
            {
                // The rows beside each other in the operand, in the result, in both.
                for (extents, strides, axis) in [
                    ([2, length, rows], [length * rows, rows, 1], 1),
                    ([2, rows, length], [length * rows, 1, rows], 2),
                    ([2, length, rows], [length * rows, 1, length], 1),
                ] {
                    let place = Place::new(&extents, &strides, 1);
                    let case = Case { call, dtype, axes: &[axis], places: [&place, &place], layout: Layout::Dense };
                    case.check_plain(rows as u64);
                }
            }
        }
    }
}

/// Many long columns, which are reduced in strips, and what is left beside those.
#[test]
fn strips_of_long_columns() {
    let cases =
        if EMULATED { vec![(512, 513)] } else { vec![(511, 512), (512, 511), (512, 512), (1025, 1040), (5200, 512)] };
    for call in CALLS.iter().filter(|call| matches!(call, Call::Reduce(_)) && call.is_defined(DType::F32)) {
        for &(length, columns) in &cases {
            let place = Place::dense(&[length, columns], 1);
            let case = Case { call, dtype: DType::F32, axes: &[0], places: [&place, &place], layout: Layout::Dense };
            case.check_plain(columns as u64);
            case.check_mixed(length as u64);
        }
    }
}
