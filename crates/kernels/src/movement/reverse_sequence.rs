//! Sequences of a batch, each reversed up to its own length.

use bytemuck::{cast_slice, cast_slice_mut};

use super::concat::copy_box;
use super::index::{Index, match_index};
use super::loops::{Loop, Loops};
use super::match_word;
use super::pick::{axes, strides};
use super::rows::Rows;
use crate::{AnyView, AnyViewMut};

/// Copies `x` with the first elements of each sequence reversed, as many as the lengths say; they have been checked.
pub(crate) fn run(
    x: &AnyView<'_>,
    lengths: &AnyView<'_>,
    batch_axis: usize,
    time_axis: usize,
    result: &mut AnyViewMut<'_>,
) {
    let (geometry, bytes) = result.parts();
    if geometry.shape().is_empty() {
        return;
    }
    let strides = [strides(geometry), strides(x.geometry())];
    let rest = axes(geometry).enumerate().filter(|(axis, _)| *axis != batch_axis && *axis != time_axis);
    let rest = rest.map(|(axis, (extent, stride))| Loop { extent, strides: [stride, strides[1][axis]] });
    let rest = Loops::in_memory_order(rest);
    let starts = [geometry.offset(), x.geometry().offset()];
    let (batch, time) = (geometry.shape().extent(batch_axis), geometry.shape().extent(time_axis));
    let stride_of_lengths = lengths.geometry().strides()[0] as isize;
    match_word!(x.dtype().size(), W => match_index!(lengths.dtype(), I => {
        let (elements, result) = (cast_slice::<u8, W>(x.bytes()), cast_slice_mut::<u8, W>(bytes));
        let lengths_of = cast_slice::<u8, I>(lengths.bytes());
        for sequence in 0..batch {
            let at = lengths.geometry().offset().wrapping_add_signed(stride_of_lengths * sequence as isize);
            let length = lengths_of[at].number() as usize;
            for step in 0..time {
                let from = if step < length { length - 1 - step } else { step };
                let mut here = starts;
                for ((start, strides), step) in here.iter_mut().zip(&strides).zip([step, from]) {
                    let distance = strides[batch_axis] * sequence as isize + strides[time_axis] * step as isize;
                    *start = start.wrapping_add_signed(distance);
                }
                copy_box(Rows::CACHED, &rest, elements, result, here, 0..rest.count());
            }
        }
    }));
}
