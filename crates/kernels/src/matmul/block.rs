//! Blocking: what of a product is packed when, so that each side is packed once and tiles read from near.
//!
//! A task is some rows. Its left side is packed for as much of the depth as there is room for, which mostly is all; then come
//! groups of columns, in each the blocks of depth one after the other. The right side of a group and a block is read once for each task, from where it was packed: by
//! the caller for all tasks, or here if there is only one task that needs it. Sums of more than one block are kept side by
//! side until the last one: rows of a large result are often a power of two apart, where caches hold few of them.

use std::ops::Range;

use super::rectangle::{Part, Rectangle};
use super::scratch::{self, Use};
use super::side::{Extract, SLACK, Side, packed_count};
use super::term::Term;
use super::tile::{self, Order, Tile};
use crate::simd::{Isa, LANES};

/// Two sides, and how deep they are.
#[derive(Clone, Copy)]
pub(crate) struct Product<'a, T> {
    /// The rows of the result.
    pub(crate) left: &'a dyn Side<T>,
    /// The columns of the result.
    pub(crate) right: &'a dyn Side<T>,
    pub(crate) depth: usize,
    /// Terms that are summed before the sum is added to that of the blocks before. The last block may have fewer.
    pub(crate) depth_block: usize,
}

/// Who looks at what a task has in the caches. Rows and columns are counted in its part.
pub(crate) trait Watch<T> {
    /// Panels of some rows of the left side, `width` to a panel and the last one narrower, and slack.
    fn left(&mut self, _panels: &[T], _depth: usize, _width: usize, _rows: Range<usize>) {}
    /// Panels of some columns of the right side.
    fn right(&mut self, _panels: &[T], _depth: usize, _columns: Range<usize>) {}
    /// The complete sums of some columns.
    fn complete(&mut self, _columns: Range<usize>, _result: &mut Rectangle<'_, T>) {}
}

/// Nobody.
impl<T> Watch<T> for () {}

/// Terms of a task's left side that are packed at once. Checked builds have little room, so that small tests see several spans.
const LEFT: usize = if cfg!(debug_assertions) { 1 << 14 } else { 1 << 22 };

/// Columns of a group: with 256 terms of f32, its right side takes half a megabyte of the second-level cache.
const GROUP: usize = 512;

/// Computes a part of the result, packing what is not packed. The depth is not zero.
pub(crate) fn compute<T: Term>(
    isa: Isa,
    product: &Product<'_, T>,
    part: &Part,
    result: &mut Rectangle<'_, T>,
    watch: &mut dyn Watch<T>,
) {
    // As few panels of rows as the tile allows, and all about equally high.
    let rows = part.rows.len();
    let high = rows.div_ceil(rows.div_ceil(tile::rows::<T>(isa)));
    let deep = product.depth_block.min(product.depth);
    let group = GROUP.min(part.columns.len().next_multiple_of(LANES));
    let is_kept = deep < product.depth;
    // Whole blocks, at least one.
    let span = (LEFT / (rows * deep)).max(1).saturating_mul(deep).min(product.depth);
    let room_left = rows * span + SLACK;
    let room_right = group * deep + SLACK;
    let room_sums = if is_kept { rows * group } else { 0 };
    scratch::with::<T, _>(Use::Task, room_left + room_right + room_sums, |room| {
        let (left, room) = room.split_at_mut(room_left);
        let (right, sums) = room.split_at_mut(room_right);
        let packed = Task { isa, product, part, high };
        for start in (0..product.depth).step_by(span) {
            let span = start..(start + span).min(product.depth);
            packed.pack_left(left, &span, watch);
            for first in (0..part.columns.len()).step_by(group) {
                let columns = first..(first + group).min(part.columns.len());
                if !is_kept {
                    packed.group(left, right, &span, columns.clone(), &mut result.part(0..rows, columns), watch);
                    continue;
                }
                let width = columns.len();
                let mut kept = Rectangle::new(&mut sums[..rows * width], width);
                if span.start > 0 {
                    for row in 0..rows {
                        kept.row(row).copy_from_slice(&result.row(row)[columns.clone()]);
                    }
                }
                packed.group(left, right, &span, columns.clone(), &mut kept, watch);
                for row in 0..rows {
                    result.row(row)[columns.clone()].copy_from_slice(kept.row(row));
                }
            }
        }
    });
}

/// Some rows of a product.
struct Task<'a, T> {
    isa: Isa,
    product: &'a Product<'a, T>,
    part: &'a Part,
    /// Rows of a panel of the left side; the last panel has what is left.
    high: usize,
}

impl<T: Term> Task<'_, T> {
    /// Packs a span of the left side: blocks of depth, in each the panels one behind the other.
    fn pack_left(&self, room: &mut [T], span: &Range<usize>, watch: &mut dyn Watch<T>) {
        let (matrix, rows) = (self.part.matrix, self.part.rows.clone());
        let whole = rows.len() / self.high * self.high;
        for depth in self.product.blocks_of(span) {
            let room = &mut room[rows.len() * (depth.start - span.start)..];
            // The last panel comes last, since packing may write behind panels.
            for (lines, width) in [(0..whole, self.high), (whole..rows.len(), rows.len() - whole)] {
                if width > 0 {
                    let to = &mut room[lines.start * depth.len()..];
                    let in_matrix = rows.start + lines.start..rows.start + lines.end;
                    let extract = Extract { matrix, depth: depth.clone(), lines: in_matrix };
                    self.product.left.pack(self.isa, &extract, width, to);
                    watch.left(to, depth.len(), width, lines);
                }
            }
        }
    }

    /// Computes a group of columns, counted in the part, for a span of the depth, or adds it to that of the spans before.
    fn group(
        &self,
        left: &[T],
        room: &mut [T],
        span: &Range<usize>,
        columns: Range<usize>,
        result: &mut Rectangle<'_, T>,
        watch: &mut dyn Watch<T>,
    ) {
        let (matrix, rows) = (self.part.matrix, self.part.rows.len());
        let lines = self.part.columns.start + columns.start..self.part.columns.start + columns.end;
        for depth in self.product.blocks_of(span) {
            let extract = Extract { matrix, depth: depth.clone(), lines: lines.clone() };
            let panels = match self.product.right.ready(&extract) {
                Some(panels) => panels,
                None => {
                    self.product.right.pack(self.isa, &extract, LANES, room);
                    &room[..packed_count(&extract, LANES)]
                }
            };
            watch.right(panels, depth.len(), columns.clone());
            self.block(&left[rows * (depth.start - span.start)..], panels, depth, result);
        }
        if span.end == self.product.depth {
            watch.complete(columns, result);
        }
    }

    /// Computes a block of depth for all rows and some columns, tile by tile.
    fn block(&self, left: &[T], panels: &[T], depth: Range<usize>, result: &mut Rectangle<'_, T>) {
        let (rows, columns) = (result.rows(), result.columns());
        let deep = depth.len();
        let mut rest = columns.div_ceil(LANES);
        let mut width = tile::panels::<T>(self.isa, self.high);
        let mut first = 0;
        while rest > 0 {
            while width > rest {
                width /= 2;
            }
            let last = (first + width * LANES).min(columns);
            for row in (0..rows).step_by(self.high) {
                let high = self.high.min(rows - row);
                let mut tile = Tile {
                    a: &left[row * deep..][..high * deep],
                    rows: high,
                    b: &panels[first * deep..][..width * LANES * deep],
                    panels: width,
                    order: Order::Packed,
                    depth: deep,
                    is_first: depth.start == 0,
                    result: result.part(row..row + high, first..last),
                };
                tile::run(self.isa, &mut tile);
            }
            first = last;
            rest -= width;
        }
    }
}

impl<T: Term> Product<'_, T> {
    /// The blocks of depth.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = Range<usize>> + use<T> {
        self.blocks_of(&(0..self.depth))
    }

    /// The blocks of a span of the depth that begins with a block.
    fn blocks_of(&self, span: &Range<usize>) -> impl Iterator<Item = Range<usize>> + use<T> {
        let (end, block) = (span.end, self.depth_block.max(1));
        span.clone().step_by(block).map(move |start| start..(start + block).min(end))
    }
}
