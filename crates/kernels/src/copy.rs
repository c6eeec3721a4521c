//! Copies between any strides: bits are moved, whatever they mean.
//!
//! Axes are merged and put into the order of the result's memory. Where the neighbours of one side lie along another axis
//! than those of the other, the problem is a transposition of these two axes inside loops over the others, done in square
//! tiles that use each cache line whole. Everything else goes through the driver of maps, which moves whole runs where there
//! are runs.

mod transpose;

use bytemuck::{cast_slice, cast_slice_mut};
use stratal_tensor_base::{MAX_RANK, ShapeError, Walk, WalkAxis};

use crate::map::driver::{Input, Output, map};
use crate::map::order::in_memory_order;
use crate::parallel::Threads;
use crate::simd::{Isa, Streaming, streaming};
use crate::stream;
use transpose::{Plane, TILE, Word};

/// Elements that one thread takes at a time, at least.
const GRAIN: usize = 64 * 1024;

/// Into how many parts a large problem is divided, at most.
const PARTS: usize = 16;

/// Copies all elements, which have one size on both sides.
///
/// # Errors
/// [`ShapeError::Different`] unless the shapes are equal.
pub(crate) fn run(isa: Isa, x: Input<'_>, result: Output<'_>, threads: &Threads) -> Result<(), ShapeError> {
    let (order_of_result, [order_of_x]) = in_memory_order(result.geometry, [x.geometry]);
    let Some(plan) = Plan::new(&Walk::new([&order_of_result, &order_of_x])?) else {
        return map([x], result, threads, None, &|[x], result| result.copy_from_slice(x));
    };
    let (is_dense, count) = (Walk::new([&order_of_result])?.run_length() == plan.count(), plan.count());
    let threads = (is_dense && count > GRAIN && threads.count() > 1).then_some(threads);
    match x.size {
        1 => plan.run::<u8>(isa, x.bytes, result.bytes, threads),
        2 => plan.run::<u16>(isa, cast_slice(x.bytes), cast_slice_mut(result.bytes), threads),
        4 => plan.run::<u32>(isa, cast_slice(x.bytes), cast_slice_mut(result.bytes), threads),
        _ => plan.run::<u64>(isa, cast_slice(x.bytes), cast_slice_mut(result.bytes), threads),
    }
    Ok(())
}

/// A transposition inside loops. The strides of an axis are the result's and the operand's, in this order.
#[derive(Clone, Copy)]
struct Plan {
    /// Outermost first; along the last one, the result's elements are neighbours.
    axes: [WalkAxis<2>; MAX_RANK],
    rank: usize,
    /// The axis along which the operand's elements are neighbours.
    rows: usize,
    starts: [usize; 2],
}

impl Plan {
    /// The plan, if the walk is a transposition.
    fn new(walk: &Walk<2>) -> Option<Self> {
        let (columns, others) = walk.axes().split_last()?;
        if walk.run_count() == 0 || columns.strides[0] != 1 {
            return None;
        }
        let rows = others.iter().position(|axis| axis.strides[1] == 1)?;
        let mut axes = [*columns; MAX_RANK];
        let rank = walk.axes().len();
        axes[..rank].copy_from_slice(walk.axes());
        (columns.strides[1] != 1).then_some(Self { axes, rank, rows, starts: walk.starts() })
    }

    fn axes(&self) -> &[WalkAxis<2>] {
        &self.axes[..self.rank]
    }

    fn count(&self) -> usize {
        self.axes().iter().map(|axis| axis.extent).product()
    }

    /// Copies all planes; on several threads only if the result is dense.
    fn run<W: Word>(&self, isa: Isa, x: &[W], result: &mut [W], threads: Option<&Threads>) {
        let is_large = self.count() * size_of::<W>() >= stream::BYTES;
        let Some(threads) = threads else {
            return self.planes_of(isa, is_large, x, result, self.starts);
        };
        // In a dense result, what lies between two steps of the outermost axis belongs to the first.
        let [start, start_of_x] = self.starts;
        let first = &self.axes[0];
        let step = first.strides[0].unsigned_abs();
        // Few and large parts, since lines of the operand are read ahead within one.
        let steps =
            (GRAIN / step).max(first.extent / PARTS).max(1).next_multiple_of(if self.rows == 0 { TILE } else { 1 });
        threads.for_each_chunk(&mut result[start..start + self.count()], steps * step, |position, part| {
            let skipped = position / step;
            let mut plan = *self;
            plan.axes[0].extent = part.len() / step;
            let start_of_x = start_of_x.wrapping_add_signed(first.strides[1] * skipped as isize);
            plan.planes_of(isa, is_large, x, part, [0, start_of_x]);
        });
    }

    /// Copies all planes, past the caches if the whole result is large.
    fn planes_of<W: Word>(&self, isa: Isa, is_large: bool, x: &[W], result: &mut [W], starts: [usize; 2]) {
        if is_large {
            streaming(|permission| self.planes(isa, x, result, Some(permission), 0, starts));
        } else {
            self.planes(isa, x, result, None, 0, starts);
        }
    }

    /// Copies the planes at all indices of the axes from `depth` on.
    fn planes<W: Word>(
        &self,
        isa: Isa,
        x: &[W],
        result: &mut [W],
        permission: Option<&Streaming<'_>>,
        depth: usize,
        [start, start_of_x]: [usize; 2],
    ) {
        if depth == self.rows {
            return self.planes(isa, x, result, permission, depth + 1, [start, start_of_x]);
        }
        let axis = &self.axes[depth];
        if depth + 1 == self.rank {
            let rows = &self.axes[self.rows];
            let plane = Plane {
                rows: rows.extent,
                columns: axis.extent,
                start,
                stride: rows.strides[0],
                start_of_x,
                stride_of_x: axis.strides[1],
            };
            return W::transpose(isa, &plane, x, result, permission);
        }
        for index in 0..axis.extent as isize {
            let starts = [
                start.wrapping_add_signed(axis.strides[0] * index),
                start_of_x.wrapping_add_signed(axis.strides[1] * index),
            ];
            self.planes(isa, x, result, permission, depth + 1, starts);
        }
    }
}
