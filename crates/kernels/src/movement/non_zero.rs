//! Elements that are not zero: how many, and where.

use bytemuck::{cast_slice, cast_slice_mut};
use stratal_tensor_base::{DType, MAX_RANK};

use super::loops::{Loop, Loops};
use super::pick::axes;
use super::{Word, match_word};
use crate::{AnyView, AnyViewMut};

/// How many elements are not zero. A NaN is not, a negative zero is.
pub(crate) fn count(x: &AnyView<'_>) -> usize {
    let loops = Loops::in_memory_order(axes(x.geometry()).map(|(extent, stride)| Loop { extent, strides: [stride] }));
    if x.shape().is_empty() {
        return 0;
    }
    match_word!(x.dtype().size(), W => {
        let (elements, is_zero) = (cast_slice::<u8, W>(x.bytes()), is_zero::<W>(x.dtype()));
        let (mut count, stride) = (0, loops.innermost().strides[0]);
        loops.for_each_run([x.geometry().offset()], 0..loops.count(), |[mut start], length| {
            if stride == 1 {
                count += elements[start..start + length].iter().filter(|element| !is_zero(**element)).count();
            } else {
                for _ in 0..length {
                    count += usize::from(!is_zero(elements[start]));
                    start = start.wrapping_add_signed(stride);
                }
            }
        });
        count
    })
}

/// Writes the index of each such element, in logical order: the coordinates along an axis of `x` in each row of the result,
/// which holds as many as there are.
pub(crate) fn run(x: &AnyView<'_>, result: &mut AnyViewMut<'_>) {
    let (geometry, bytes) = result.parts();
    if geometry.shape().is_empty() {
        return;
    }
    let [stride_of_rows, stride] = [0, 1].map(|axis| geometry.strides()[axis] as isize);
    let (mut next, result) = (geometry.offset(), cast_slice_mut::<u8, i64>(bytes));
    let rank = x.shape().rank();
    let (outer, last) = (rank - 1, x.shape().extent(rank - 1));
    let stride_of_x = x.geometry().strides()[outer] as isize;
    // Nothing is merged: the counters are the index.
    let mut counters = [0_usize; MAX_RANK];
    let mut start = x.geometry().offset();
    match_word!(x.dtype().size(), W => {
        let (elements, is_zero) = (cast_slice::<u8, W>(x.bytes()), is_zero::<W>(x.dtype()));
        for _ in 0..x.shape().count() / last {
            for column in 0..last {
                if is_zero(elements[start.wrapping_add_signed(stride_of_x * column as isize)]) {
                    continue;
                }
                let mut coordinate = next;
                for counter in &counters[..outer] {
                    result[coordinate] = *counter as i64;
                    coordinate = coordinate.wrapping_add_signed(stride_of_rows);
                }
                result[coordinate] = column as i64;
                next = next.wrapping_add_signed(stride);
            }
            let outer_axes = counters[..outer].iter_mut().zip(axes(x.geometry())).rev();
            for (counter, (extent, stride)) in outer_axes {
                *counter += 1;
                start = start.wrapping_add_signed(stride);
                if *counter < extent {
                    break;
                }
                start = start.wrapping_add_signed(stride.wrapping_mul(extent as isize).wrapping_neg());
                *counter = 0;
            }
        }
    });
}

/// Whether an element is zero, told from its bits.
fn is_zero<W: Word>(dtype: DType) -> impl Fn(W) -> bool + Copy {
    // A float without its sign bit.
    let mut mask = [0xFF_u8; 8];
    if dtype.is_float() {
        mask[dtype.size() - 1] = 0x7F;
    }
    let mask: W = bytemuck::pod_read_unaligned(&mask[..size_of::<W>()]);
    move |element| element.and(mask) == W::zeroed()
}
