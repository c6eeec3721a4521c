//! Choosing by a condition: a gather with the positions of what is true.

use bytemuck::{cast_slice, cast_slice_mut};

use super::loops::{Loop, Loops};
use super::pick::{self, axes};
use super::{match_word, narrowed};
use crate::simd::Isa;
use crate::{AnyView, AnyViewMut, KernelError, Threads};

/// Positions that are gathered at once.
const BLOCK: usize = 1024;

/// Takes the slices of an axis at which the condition, a vector, is true. The result has room for as many.
///
/// # Errors
/// None where shapes were checked.
pub(crate) fn along(
    isa: Isa,
    x: &AnyView<'_>,
    condition: &AnyView<'_>,
    axis: usize,
    result: &mut AnyViewMut<'_>,
    threads: &Threads,
) -> Result<(), KernelError> {
    if result.shape().is_empty() {
        return Ok(());
    }
    let (mut block, mut filled, mut done) = ([0_i32; BLOCK], 0, 0);
    let mut flush = |positions: &[i32]| -> Result<(), KernelError> {
        let indices = AnyView::of_slice(positions)?;
        let place = narrowed(result.geometry(), axis, done, positions.len());
        let mut target = result.with_geometry(place);
        pick::gather(isa, x, &indices, axis, &mut target, threads);
        done += positions.len();
        Ok(())
    };
    for (position, is_true) in truths(condition).enumerate() {
        if is_true {
            block[filled] = position as i32;
            filled += 1;
            if filled == BLOCK {
                flush(&block)?;
                filled = 0;
            }
        }
    }
    if filled > 0 {
        flush(&block[..filled])?;
    }
    Ok(())
}

/// Takes the elements, in logical order, at which the condition, a vector, is true. The result, a vector, has room for as
/// many.
pub(crate) fn flat(x: &AnyView<'_>, condition: &AnyView<'_>, result: &mut AnyViewMut<'_>) {
    let (geometry, bytes) = result.parts();
    if geometry.shape().is_empty() {
        return;
    }
    let loops = Loops::new(axes(x.geometry()).map(|(extent, stride)| Loop { extent, strides: [stride] }));
    let stride = geometry.strides()[0] as isize;
    let stride_of_x = loops.innermost().strides[0];
    let mut truths = truths(condition);
    match_word!(x.dtype().size(), W => {
        let (elements, result) = (cast_slice::<u8, W>(x.bytes()), cast_slice_mut::<u8, W>(bytes));
        let (mut next, count) = (geometry.offset(), condition.shape().count());
        loops.for_each_run([x.geometry().offset()], 0..count, |[mut start], length| {
            for is_true in truths.by_ref().take(length) {
                if is_true {
                    result[next] = elements[start];
                    next = next.wrapping_add_signed(stride);
                }
                start = start.wrapping_add_signed(stride_of_x);
            }
        });
    });
}

/// The elements of a vector of truths.
fn truths<'a>(condition: &AnyView<'a>) -> impl Iterator<Item = bool> + use<'a> {
    let (bytes, start) = (condition.bytes(), condition.geometry().offset());
    let stride = condition.geometry().strides()[0] as isize;
    let count = condition.shape().count() as isize;
    (0..count).map(move |step| bytes[start.wrapping_add_signed(stride * step)] != 0)
}
