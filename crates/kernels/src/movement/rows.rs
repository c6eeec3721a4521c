//! Rows: some elements along one stride, copied or filled; and where to, the caches or past them.

use super::Word;
use crate::simd::{Isa, Streaming, streaming};
use crate::stream;

/// Bytes of the shortest row that goes past the caches.
const SHORTEST_STREAMED: usize = 1024;

/// How rows are written.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a>(Option<(Isa, &'a Streaming<'a>)>);

impl Rows<'_> {
    /// Into the caches.
    pub(super) const CACHED: Self = Self(None);

    /// Does work that writes each element of its part once and reads none of them, past the caches if the whole result is
    /// large.
    pub(super) fn of_result(isa: Isa, bytes: usize, work: impl FnOnce(Rows<'_>)) {
        if bytes >= stream::BYTES {
            streaming(|permission| work(Rows(Some((isa, permission)))));
        } else {
            work(Rows::CACHED);
        }
    }

    /// Copies a row. Strides are the result's and the operand's.
    #[inline(always)]
    pub(super) fn copy<W: Word>(
        self,
        result: &mut [W],
        x: &[W],
        [start, start_of_x]: [usize; 2],
        [stride, stride_of_x]: [isize; 2],
        length: usize,
    ) {
        if length == 1 {
            result[start] = x[start_of_x];
        } else if (stride, stride_of_x) == (1, 1) {
            let (from, to) = (&x[start_of_x..start_of_x + length], &mut result[start..start + length]);
            match self.0 {
                Some((isa, permission)) if size_of_val(from) >= SHORTEST_STREAMED => {
                    stream::copy(isa, bytemuck::cast_slice(from), bytemuck::cast_slice_mut(to), permission);
                }
                _ => to.copy_from_slice(from),
            }
        } else if stride_of_x == 0 {
            fill(result, start, stride, length, x[start_of_x]);
        } else {
            copy_strided(result, x, [start, start_of_x], [stride, stride_of_x], length);
        }
    }
}

/// Sets a row to one value.
#[inline(always)]
pub(super) fn fill<W: Word>(result: &mut [W], start: usize, stride: isize, length: usize, value: W) {
    if stride == 1 {
        result[start..start + length].fill(value);
    } else {
        let mut offset = start;
        for _ in 0..length {
            result[offset] = value;
            offset = offset.wrapping_add_signed(stride);
        }
    }
}

fn copy_strided<W: Word>(
    result: &mut [W],
    x: &[W],
    [mut start, mut start_of_x]: [usize; 2],
    [stride, stride_of_x]: [isize; 2],
    length: usize,
) {
    if stride == 1 {
        for element in &mut result[start..start + length] {
            *element = x[start_of_x];
            start_of_x = start_of_x.wrapping_add_signed(stride_of_x);
        }
        return;
    }
    for _ in 0..length {
        result[start] = x[start_of_x];
        start = start.wrapping_add_signed(stride);
        start_of_x = start_of_x.wrapping_add_signed(stride_of_x);
    }
}
