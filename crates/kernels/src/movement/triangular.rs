//! Triangles of matrices: the rest is zero.

use std::ops::Range;

use bytemuck::{cast_slice, cast_slice_mut};

use super::loops::{Loop, Loops};
use super::parts::in_parts;
use super::pick::{axes, strides};
use super::rows::{Rows, fill};
use super::{Triangle, Word, match_word};
use crate::simd::Isa;
use crate::{AnyView, AnyViewMut, Threads};

/// Copies the triangle at a diagonal of the last two axes, and writes zeros elsewhere.
pub(crate) fn run(
    isa: Isa,
    x: &AnyView<'_>,
    triangle: Triangle,
    diagonal: i64,
    result: &mut AnyViewMut<'_>,
    threads: &Threads,
) {
    let (geometry, bytes) = result.parts();
    let shape = geometry.shape();
    if shape.is_empty() {
        return;
    }
    let rank = shape.rank();
    let (rows, columns) = (shape.extent(rank - 2), shape.extent(rank - 1));
    let kept = |row: usize| kept(triangle, diagonal, row % rows, columns);
    let strides_of_row = [strides(geometry)[rank - 1], strides(x.geometry())[rank - 1]];
    let lines = axes(geometry).zip(strides(x.geometry())).take(rank - 1);
    let lines = Loops::new(lines.map(|((extent, stride), of_x)| Loop { extent, strides: [stride, of_x] }));
    let (start, start_of_x, count) = (geometry.offset(), x.geometry().offset(), shape.count());
    match_word!(x.dtype().size(), W => {
        let (x, result) = (cast_slice::<u8, W>(x.bytes()), cast_slice_mut::<u8, W>(bytes));
        in_parts(threads, result, (start, count), geometry.is_contiguous(), columns, |positions, part, start| {
            Rows::of_result(isa, count * size_of::<W>(), |rows| {
                let mut row = positions.start / columns;
                let strides = lines.innermost().strides;
                lines.for_each_run([start, start_of_x], row..positions.end / columns, |[start, start_of_x], length| {
                    for step in 0..length as isize {
                        let starts = [
                            start.wrapping_add_signed(strides[0] * step),
                            start_of_x.wrapping_add_signed(strides[1] * step),
                        ];
                        write_row(rows, part, x, starts, strides_of_row, columns, kept(row));
                        row += 1;
                    }
                });
            });
        });
    });
}

/// The columns of a row that are kept.
fn kept(triangle: Triangle, diagonal: i64, row: usize, columns: usize) -> Range<usize> {
    // Up to any diagonal, so in numbers that hold the sum.
    let at = i128::from(diagonal) + row as i128;
    match triangle {
        Triangle::Upper => at.clamp(0, columns as i128) as usize..columns,
        Triangle::Lower => 0..(at + 1).clamp(0, columns as i128) as usize,
    }
}

fn write_row<W: Word>(
    rows: Rows<'_>,
    result: &mut [W],
    x: &[W],
    [start, start_of_x]: [usize; 2],
    [stride, stride_of_x]: [isize; 2],
    columns: usize,
    kept: Range<usize>,
) {
    let at = |column: usize| start.wrapping_add_signed(stride * column as isize);
    fill(result, start, stride, kept.start, W::zeroed());
    if !kept.is_empty() {
        let starts = [at(kept.start), start_of_x.wrapping_add_signed(stride_of_x * kept.start as isize)];
        rows.copy(result, x, starts, [stride, stride_of_x], kept.len());
    }
    if kept.end < columns {
        fill(result, at(kept.end), stride, columns - kept.end, W::zeroed());
    }
}
