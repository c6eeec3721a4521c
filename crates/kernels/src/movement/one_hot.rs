//! One-hot rows: one value everywhere, and another at the index of each row.

use bytemuck::{cast_slice, cast_slice_mut};
use stratal_tensor_base::Scalar;

use super::extend::word_of;
use super::index::{Index, match_index};
use super::loops::{Loop, Loops};
use super::parts::in_parts;
use super::pick::{axes, strides};
use super::rows::fill;
use super::{Word, match_word};
use crate::{AnyView, AnyViewMut, Threads};

/// Writes `off` everywhere and `on` where the indices say along an axis. Indices outside leave their row off.
pub(crate) fn run(
    indices: &AnyView<'_>,
    axis: usize,
    [off, on]: [Scalar; 2],
    result: &mut AnyViewMut<'_>,
    threads: &Threads,
) {
    let (geometry, bytes) = result.parts();
    if geometry.shape().is_empty() {
        return;
    }
    let (strides_of_result, strides_of_indices) = (strides(geometry), strides(indices.geometry()));
    let depth = (geometry.shape().extent(axis), strides_of_result[axis]);
    let whole = Loops::in_memory_order(axes(geometry).map(|(extent, stride)| Loop { extent, strides: [stride] }));
    let rows = axes(geometry).enumerate().filter(|(position, _)| *position != axis);
    let rows = rows.map(|(position, (extent, stride))| {
        let stride_of_indices = strides_of_indices[position - usize::from(position > axis)];
        Loop { extent, strides: [stride, stride_of_indices] }
    });
    let rows = Loops::in_memory_order(rows);
    let starts = [geometry.offset(), indices.geometry().offset()];
    match_word!(off.dtype().size(), W => {
        let (result, off, on) = (cast_slice_mut::<u8, W>(bytes), word_of::<W>(off), word_of::<W>(on));
        let stride = whole.innermost().strides[0];
        in_parts(threads, result, (starts[0], whole.count()), whole.is_dense(), 1, |positions, part, start| {
            whole.for_each_run([start], positions, |[start], length| fill(part, start, stride, length, off));
        });
        match_index!(indices.dtype(), I => set::<W, I>(&rows, starts, cast_slice(indices.bytes()), depth, result, on));
    });
}

fn set<W: Word, I: Index>(
    rows: &Loops<2>,
    starts: [usize; 2],
    indices: &[I],
    (depth, stride_of_depth): (usize, isize),
    result: &mut [W],
    on: W,
) {
    let [stride, stride_of_indices] = rows.innermost().strides;
    rows.for_each_run(starts, 0..rows.count(), |[mut start, mut start_of_indices], length| {
        for _ in 0..length {
            let index = indices[start_of_indices];
            if (-(depth as i64)..depth as i64).contains(&index.number()) {
                result[start.wrapping_add_signed(index.steps(depth) * stride_of_depth)] = on;
            }
            start = start.wrapping_add_signed(stride);
            start_of_indices = start_of_indices.wrapping_add_signed(stride_of_indices);
        }
    });
}
