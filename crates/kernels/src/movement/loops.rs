//! `Loops`: nested loops over several operands at once, as the fewest runs, between any two positions.

use std::cmp::Reverse;
use std::ops::Range;

use stratal_tensor_base::MAX_RANK;

/// One loop: how often, and how far a step moves each operand, in elements.
#[derive(Debug, Clone, Copy)]
pub(super) struct Loop<const N: usize> {
    pub(super) extent: usize,
    pub(super) strides: [isize; N],
}

/// Loops over operands of which the first is the result. Unlike a [`Walk`](stratal_tensor_base::Walk), operands need not have
/// one shape: an axis that one of them lacks moves it by 0.
#[derive(Debug, Clone, Copy)]
pub(super) struct Loops<const N: usize> {
    /// Outermost first.
    axes: [Loop<N>; MAX_RANK],
    /// At least one.
    rank: usize,
}

impl<const N: usize> Loops<N> {
    /// In the order given, which positions count. Loops of one step are dropped, and merged where one stride an operand leads
    /// through two. There are at most as many as a shape has axes.
    pub(super) fn new(axes: impl IntoIterator<Item = Loop<N>>) -> Self {
        let mut loops = Self { axes: [Loop { extent: 1, strides: [1; N] }; MAX_RANK], rank: 0 };
        for inner in axes.into_iter().filter(|axis| axis.extent != 1) {
            match loops.rank.checked_sub(1).map(|outer| &mut loops.axes[outer]) {
                Some(outer) if outer.continues_into(&inner) => {
                    *outer = Loop { extent: outer.extent * inner.extent, ..inner };
                }
                _ => {
                    loops.axes[loops.rank] = inner;
                    loops.rank += 1;
                }
            }
        }
        loops.rank = loops.rank.max(1);
        loops
    }

    /// In the order of the result's memory, for operations whose elements do not depend on each other.
    pub(super) fn in_memory_order(axes: impl IntoIterator<Item = Loop<N>>) -> Self {
        let mut list = [Loop { extent: 1, strides: [0; N] }; MAX_RANK];
        let mut rank = 0;
        for (kept, axis) in list.iter_mut().zip(axes) {
            *kept = axis;
            rank += 1;
        }
        list[..rank].sort_by_key(|axis| Reverse(axis.strides[0].unsigned_abs()));
        Self::new(list[..rank].iter().copied())
    }

    /// The steps of all loops together.
    pub(super) fn count(&self) -> usize {
        self.axes[..self.rank].iter().map(|axis| axis.extent).product()
    }

    /// The innermost loop.
    pub(super) fn innermost(&self) -> &Loop<N> {
        &self.axes[self.rank - 1]
    }

    /// Whether neighbouring positions are neighbours in the result's memory.
    pub(super) fn is_dense(&self) -> bool {
        let mut expected = 1;
        self.axes[..self.rank].iter().rev().all(|axis| {
            let is_expected = axis.extent == 1 || axis.strides[0] == expected;
            expected *= axis.extent as isize;
            is_expected
        })
    }

    /// Calls the function for each run between two positions, with where each operand is and how many steps follow along the
    /// innermost loop. `starts` is where they are at position 0; it may lie before an operand's first element.
    #[inline(always)]
    pub(super) fn for_each_run(
        &self,
        starts: [usize; N],
        positions: Range<usize>,
        mut run: impl FnMut([usize; N], usize),
    ) {
        let inner = &self.axes[self.rank - 1];
        let outer = &self.axes[..self.rank - 1];
        let mut left = positions.len();
        if left == 0 {
            return;
        }
        let mut offsets = starts;
        let mut counters = [0; MAX_RANK];
        let (mut position, mut within) = (positions.start / inner.extent, positions.start % inner.extent);
        for (counter, axis) in counters.iter_mut().zip(outer).rev() {
            *counter = position % axis.extent;
            position /= axis.extent;
            axis.advance(&mut offsets, *counter as isize);
        }
        loop {
            let length = (inner.extent - within).min(left);
            let mut here = offsets;
            inner.advance(&mut here, within as isize);
            run(here, length);
            left -= length;
            if left == 0 {
                return;
            }
            within = 0;
            for (counter, axis) in counters.iter_mut().zip(outer).rev() {
                *counter += 1;
                if *counter < axis.extent {
                    axis.advance(&mut offsets, 1);
                    break;
                }
                axis.advance(&mut offsets, 1 - *counter as isize);
                *counter = 0;
            }
        }
    }
}

impl<const N: usize> Loop<N> {
    /// Whether one stride an operand leads through this loop and the next one inside it.
    fn continues_into(&self, inner: &Self) -> bool {
        let strides = self.strides.iter().zip(&inner.strides);
        strides.into_iter().all(|(outer, inner_stride)| inner_stride.checked_mul(inner.extent as isize) == Some(*outer))
    }

    /// Moves each operand by a number of steps.
    #[inline(always)]
    fn advance(&self, offsets: &mut [usize; N], steps: isize) {
        for (offset, stride) in offsets.iter_mut().zip(&self.strides) {
            // Between runs an offset may pass below zero, and comes back.
            *offset = offset.wrapping_add_signed(stride.wrapping_mul(steps));
        }
    }
}
