//! Gathers: elements and slices from where indices say.
//!
//! All three kinds are one set of loops over the result, the operand and the indices. An axis that the operand lacks (one
//! that only the indices have) moves it by 0, one that the indices lack moves those by 0; on top, the coordinates read from
//! the indices move the operand. Where the innermost loop keeps to one index it is a row, else elements are picked one by
//! one. The indices have been checked before.

use bytemuck::{cast_slice, cast_slice_mut};
use stratal_tensor_base::{Geometry, MAX_RANK};

use super::index::{Index, match_index};
use super::loops::{Loop, Loops};
use super::parts::in_parts;
use super::rows::Rows;
use super::{Word, match_word};
use crate::simd::Isa;
use crate::{AnyView, AnyViewMut, Threads};

/// Slices at indices along an axis.
pub(crate) fn gather(
    isa: Isa,
    x: &AnyView<'_>,
    indices: &AnyView<'_>,
    axis: usize,
    result: &mut AnyViewMut<'_>,
    threads: &Threads,
) {
    let rank_of_indices = indices.shape().rank();
    let strides_of_x = strides(x.geometry());
    let loops = axes(result.geometry()).enumerate().map(|(position, (extent, stride))| {
        let others = if position < axis {
            [strides_of_x[position], 0]
        } else if position < axis + rank_of_indices {
            [0, indices.geometry().strides()[position - axis] as isize]
        } else {
            [strides_of_x[position + 1 - rank_of_indices], 0]
        };
        Loop { extent, strides: [stride, others[0], others[1]] }
    });
    let lookup = Lookup {
        loops: Loops::in_memory_order(loops),
        coordinates: Coordinates::new([(x.shape().extent(axis), strides_of_x[axis])], 0),
    };
    lookup.run(isa, x, indices, result, threads);
}

/// The element at an index along an axis, for each element of the result.
pub(crate) fn gather_elements(
    isa: Isa,
    x: &AnyView<'_>,
    indices: &AnyView<'_>,
    axis: usize,
    result: &mut AnyViewMut<'_>,
    threads: &Threads,
) {
    let (strides_of_x, strides_of_indices) = (strides(x.geometry()), strides(indices.geometry()));
    let loops = axes(result.geometry()).enumerate().map(|(position, (extent, stride))| {
        let stride_of_x = if position == axis { 0 } else { strides_of_x[position] };
        Loop { extent, strides: [stride, stride_of_x, strides_of_indices[position]] }
    });
    let lookup = Lookup {
        loops: Loops::in_memory_order(loops),
        coordinates: Coordinates::new([(x.shape().extent(axis), strides_of_x[axis])], 0),
    };
    lookup.run(isa, x, indices, result, threads);
}

/// Slices at tuples of coordinates, which lie along the indices' last axis.
pub(crate) fn gather_nd(
    isa: Isa,
    x: &AnyView<'_>,
    indices: &AnyView<'_>,
    batch_axes: usize,
    result: &mut AnyViewMut<'_>,
    threads: &Threads,
) {
    let (strides_of_x, strides_of_indices) = (strides(x.geometry()), strides(indices.geometry()));
    let positions = indices.shape().rank() - 1;
    let count = indices.shape().extent(positions);
    let loops = axes(result.geometry()).enumerate().map(|(position, (extent, stride))| {
        let (of_x, of_indices) = if position < batch_axes {
            (strides_of_x[position], strides_of_indices[position])
        } else if position < positions {
            (0, strides_of_indices[position])
        } else {
            (strides_of_x[position - positions + batch_axes + count], 0)
        };
        Loop { extent, strides: [stride, of_x, of_indices] }
    });
    let coordinates = (batch_axes..batch_axes + count).map(|axis| (x.shape().extent(axis), strides_of_x[axis]));
    let lookup = Lookup {
        loops: Loops::in_memory_order(loops),
        coordinates: Coordinates::new(coordinates, strides_of_indices[positions]),
    };
    lookup.run(isa, x, indices, result, threads);
}

/// Extent and stride of each axis.
pub(super) fn axes(
    geometry: &Geometry,
) -> impl DoubleEndedIterator<Item = (usize, isize)> + ExactSizeIterator + Clone + '_ {
    let extents = geometry.shape().extents().iter();
    extents.zip(geometry.strides()).map(|(extent, stride)| (*extent as usize, *stride as isize))
}

/// The strides, 0 behind the last axis.
pub(super) fn strides(geometry: &Geometry) -> [isize; MAX_RANK] {
    let mut strides = [0; MAX_RANK];
    for (kept, stride) in strides.iter_mut().zip(geometry.strides()) {
        *kept = *stride as isize;
    }
    strides
}

/// The axes that indices point along.
#[derive(Debug, Clone, Copy)]
pub(super) struct Coordinates {
    /// Extent, and how far a step moves what is looked up.
    axes: [(usize, isize); MAX_RANK],
    count: usize,
    /// From one coordinate to the next.
    stride: isize,
}

impl Coordinates {
    pub(super) fn new(axes: impl IntoIterator<Item = (usize, isize)>, stride: isize) -> Self {
        let mut coordinates = Self { axes: [(0, 0); MAX_RANK], count: 0, stride };
        for (kept, axis) in coordinates.axes.iter_mut().zip(axes) {
            *kept = axis;
            coordinates.count += 1;
        }
        coordinates
    }

    /// How far the coordinates at an offset of the indices move what is looked up.
    #[inline(always)]
    pub(super) fn distance<I: Index>(&self, indices: &[I], mut offset: usize) -> isize {
        let (extent, stride) = self.axes[0];
        let mut distance = indices[offset].steps(extent) * stride;
        for (extent, stride) in self.axes[..self.count].iter().skip(1) {
            offset = offset.wrapping_add_signed(self.stride);
            distance += indices[offset].steps(*extent) * stride;
        }
        distance
    }
}

/// Loops over the result, the operand and the indices.
struct Lookup {
    loops: Loops<3>,
    coordinates: Coordinates,
}

impl Lookup {
    fn run(&self, isa: Isa, x: &AnyView<'_>, indices: &AnyView<'_>, result: &mut AnyViewMut<'_>, threads: &Threads) {
        let starts = [x.geometry().offset(), indices.geometry().offset()];
        let size = x.dtype().size();
        let (geometry, bytes) = result.parts();
        if geometry.shape().is_empty() {
            return;
        }
        match_word!(size, W => match_index!(indices.dtype(), I => {
            let (x, indices) = (cast_slice::<u8, W>(x.bytes()), cast_slice::<u8, I>(indices.bytes()));
            self.run_words(isa, x, indices, (cast_slice_mut(bytes), geometry.offset()), starts, threads);
        }));
    }

    fn run_words<W: Word, I: Index>(
        &self,
        isa: Isa,
        x: &[W],
        indices: &[I],
        (result, start): (&mut [W], usize),
        [start_of_x, start_of_indices]: [usize; 2],
        threads: &Threads,
    ) {
        let count = self.loops.count();
        let is_dense = self.loops.is_dense();
        let [stride, _, stride_of_indices] = self.loops.innermost().strides;
        let is_side_by_side = (stride, stride_of_indices) == (1, 1);
        in_parts(threads, result, (start, count), is_dense, 1, |positions, part, start| {
            let starts = [start, start_of_x, start_of_indices];
            if self.loops.innermost().strides[2] == 0 {
                Rows::of_result(isa, count * size_of::<W>(), |rows| {
                    let [stride, stride_of_x, _] = self.loops.innermost().strides;
                    self.loops.for_each_run(starts, positions, |[start, start_of_x, start_of_indices], length| {
                        let distance = self.coordinates.distance(indices, start_of_indices);
                        let starts = [start, start_of_x.wrapping_add_signed(distance)];
                        rows.copy(part, x, starts, [stride, stride_of_x], length);
                    });
                });
            } else if self.coordinates.count == 1 && is_side_by_side {
                let (extent, step) = self.coordinates.axes[0];
                let stride_of_x = self.loops.innermost().strides[1];
                self.loops.for_each_run(starts, positions, |[start, start_of_x, start_of_indices], length| {
                    let indices = &indices[start_of_indices..start_of_indices + length];
                    let elements = part[start..start + length].iter_mut().zip(indices);
                    // Along the axis itself only the index moves, within one row of the operand if it is the last one.
                    match (stride_of_x, step) {
                        (0, 1) => {
                            let row = &x[start_of_x..start_of_x + extent];
                            elements.for_each(|(element, index)| *element = row[index.steps(extent) as usize]);
                        }
                        (0, _) => elements.for_each(|(element, index)| {
                            *element = x[start_of_x.wrapping_add_signed(index.steps(extent) * step)];
                        }),
                        _ => elements.enumerate().for_each(|(column, (element, index))| {
                            let distance = index.steps(extent) * step + stride_of_x * column as isize;
                            *element = x[start_of_x.wrapping_add_signed(distance)];
                        }),
                    }
                });
            } else {
                let [stride, stride_of_x, stride_of_indices] = self.loops.innermost().strides;
                self.loops.for_each_run(
                    starts,
                    positions,
                    |[mut start, mut start_of_x, mut start_of_indices], length| {
                        for _ in 0..length {
                            let distance = self.coordinates.distance(indices, start_of_indices);
                            part[start] = x[start_of_x.wrapping_add_signed(distance)];
                            start = start.wrapping_add_signed(stride);
                            start_of_x = start_of_x.wrapping_add_signed(stride_of_x);
                            start_of_indices = start_of_indices.wrapping_add_signed(stride_of_indices);
                        }
                    },
                );
            }
        });
    }
}
