//! Rows of every length at which something begins: vectors, partial results, blocks, pieces.

use stratal_tensor_base::DType;

use super::calls::{CALLS, Case, Layout};
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
