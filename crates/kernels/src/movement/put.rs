//! Scatters: updates to elements and slices at where indices say.
//!
//! The loops are those of a gather turned round, in the logical order of the updates: several for one element are applied
//! one after the other, so the last one wins, and sums have one order. One thread does it all: which updates meet is known
//! only when it happens. The indices have been checked before.

mod combine;

use bytemuck::{cast_slice, cast_slice_mut};
use stratal_tensor_base::DType;

use super::index::{Index, match_index};
use super::loops::{Loop, Loops};
use super::pick::{Coordinates, axes, strides};
use super::rows::Rows;
use super::{ScatterReduction, match_word};
use crate::map::{Add, Binary, Max, Min, Mul};
use crate::simd::Isa;
use crate::{AnyView, AnyViewMut};
use combine::match_number;

/// Offsets that are worked out before elements are touched, so that code for indices and code for elements stay apart.
const BLOCK: usize = 256;

/// Rows from this length on are combined by vectors.
const SHORTEST_VECTOR: usize = 32;

/// Each update goes to the element at its own index but for one axis, where the index operand says.
pub(crate) fn scatter_elements(
    isa: Isa,
    x: &mut AnyViewMut<'_>,
    indices: &AnyView<'_>,
    updates: &AnyView<'_>,
    axis: usize,
    reduction: ScatterReduction,
) {
    let (strides_of_x, strides_of_indices) = (strides(x.geometry()), strides(indices.geometry()));
    let loops = axes(updates.geometry()).enumerate().map(|(position, (extent, stride))| {
        let stride_of_x = if position == axis { 0 } else { strides_of_x[position] };
        Loop { extent, strides: [stride, stride_of_x, strides_of_indices[position]] }
    });
    let scatter = Scatter {
        loops: Loops::new(loops),
        coordinates: Coordinates::new([(x.shape().extent(axis), strides_of_x[axis])], 0),
        reduction,
    };
    scatter.run(isa, x, indices, updates);
}

/// Each slice of the updates goes to the slice at a tuple of coordinates, which lie along the indices' last axis.
pub(crate) fn scatter_nd(
    isa: Isa,
    x: &mut AnyViewMut<'_>,
    indices: &AnyView<'_>,
    updates: &AnyView<'_>,
    reduction: ScatterReduction,
) {
    let (strides_of_x, strides_of_indices) = (strides(x.geometry()), strides(indices.geometry()));
    let positions = indices.shape().rank() - 1;
    let count = indices.shape().extent(positions);
    let loops = axes(updates.geometry()).enumerate().map(|(position, (extent, stride))| {
        let others = match position.checked_sub(positions) {
            None => [0, strides_of_indices[position]],
            Some(rest) => [strides_of_x[count + rest], 0],
        };
        Loop { extent, strides: [stride, others[0], others[1]] }
    });
    let coordinates = (0..count).map(|axis| (x.shape().extent(axis), strides_of_x[axis]));
    let scatter = Scatter {
        loops: Loops::new(loops),
        coordinates: Coordinates::new(coordinates, strides_of_indices[positions]),
        reduction,
    };
    scatter.run(isa, x, indices, updates);
}

/// The map that a reduction is.
pub(crate) fn operation(reduction: ScatterReduction) -> Option<&'static dyn Binary> {
    match reduction {
        ScatterReduction::None => None,
        ScatterReduction::Add => Some(&Add),
        ScatterReduction::Mul => Some(&Mul),
        ScatterReduction::Min => Some(&Min),
        ScatterReduction::Max => Some(&Max),
    }
}

/// Loops over the updates, what they go to and the indices.
struct Scatter {
    loops: Loops<3>,
    coordinates: Coordinates,
    reduction: ScatterReduction,
}

/// Some updates along one stride.
struct Run {
    start: usize,
    stride: isize,
    length: usize,
}

impl Scatter {
    fn run(&self, isa: Isa, x: &mut AnyViewMut<'_>, indices: &AnyView<'_>, updates: &AnyView<'_>) {
        if updates.shape().is_empty() {
            return;
        }
        let dtype = x.dtype();
        let (geometry, bytes) = x.parts();
        let starts = [updates.geometry().offset(), geometry.offset(), indices.geometry().offset()];
        let mut target = Target { isa, dtype, bytes, updates: updates.bytes(), reduction: self.reduction };
        match_index!(indices.dtype(), I => self.run_runs::<I>(cast_slice(indices.bytes()), starts, &mut target));
    }

    fn run_runs<I: Index>(&self, indices: &[I], starts: [usize; 3], target: &mut Target<'_>) {
        let [stride, stride_of_x, stride_of_indices] = self.loops.innermost().strides;
        self.loops.for_each_run(starts, 0..self.loops.count(), |[start, start_of_x, start_of_indices], length| {
            if stride_of_indices == 0 {
                let start_of_x = start_of_x.wrapping_add_signed(self.coordinates.distance(indices, start_of_indices));
                return target.put_row(start_of_x, stride_of_x, &Run { start, stride, length });
            }
            let mut offsets = [0; BLOCK];
            for done in (0..length).step_by(BLOCK) {
                let offsets = &mut offsets[..BLOCK.min(length - done)];
                for (step, offset) in offsets.iter_mut().enumerate() {
                    let steps = (done + step) as isize;
                    let index = start_of_indices.wrapping_add_signed(stride_of_indices * steps);
                    let distance = self.coordinates.distance(indices, index) + stride_of_x * steps;
                    *offset = start_of_x.wrapping_add_signed(distance);
                }
                let start = start.wrapping_add_signed(stride * done as isize);
                target.put_elements(offsets, start, stride);
            }
        });
    }
}

/// What updates go to, and how.
struct Target<'a> {
    isa: Isa,
    dtype: DType,
    bytes: &'a mut [u8],
    updates: &'a [u8],
    reduction: ScatterReduction,
}

impl Target<'_> {
    /// Updates elements along one stride.
    fn put_row(&mut self, start: usize, stride: isize, run: &Run) {
        let size = self.dtype.size();
        match operation(self.reduction) {
            None => match_word!(size, W => {
                let (x, updates) = (cast_slice_mut::<u8, W>(self.bytes), cast_slice::<u8, W>(self.updates));
                Rows::CACHED.copy(x, updates, [start, run.start], [stride, run.stride], run.length);
            }),
            Some(operation) if (stride, run.stride) == (1, 1) && run.length >= SHORTEST_VECTOR => {
                let x = &mut self.bytes[start * size..(start + run.length) * size];
                let updates = &self.updates[run.start * size..(run.start + run.length) * size];
                operation.run_in_place(self.isa, self.dtype, x, updates);
            }
            Some(_) => {
                let offsets = (0..run.length as isize).map(|step| start.wrapping_add_signed(stride * step));
                self.combine(offsets, run.start, run.stride);
            }
        }
    }

    /// Updates elements at offsets.
    fn put_elements(&mut self, offsets: &[usize], mut start: usize, stride: isize) {
        if self.reduction != ScatterReduction::None {
            return self.combine(offsets.iter().copied(), start, stride);
        }
        match_word!(self.dtype.size(), W => {
            let (x, updates) = (cast_slice_mut::<u8, W>(self.bytes), cast_slice::<u8, W>(self.updates));
            for offset in offsets {
                x[*offset] = updates[start];
                start = start.wrapping_add_signed(stride);
            }
        });
    }

    fn combine(&mut self, offsets: impl Iterator<Item = usize>, mut start: usize, stride: isize) {
        match_number!(self.dtype, T => {
            let (x, updates) = (cast_slice_mut::<u8, T>(self.bytes), cast_slice::<u8, T>(self.updates));
            for offset in offsets {
                x[offset] = combine::combine(self.reduction, x[offset], updates[start]);
                start = start.wrapping_add_signed(stride);
            }
        });
    }
}
