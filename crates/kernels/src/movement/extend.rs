//! Padding and tiling: along each axis of the result a rule that says where on the operand's axis an element comes from.
//!
//! A tile is a wrapping pad behind the last element. An axis is what the operand gives, in the middle, and what the mode adds
//! on both sides. Axes that are taken whole are merged into runs; one that repeats or adds a constant is merged with what
//! lies inside it too, since that is the same rule on longer rows. What remains innermost is a row: one extended axis, and
//! below it one run.

use std::cmp::Reverse;
use std::ops::Range;

use bytemuck::{Zeroable, cast_slice, cast_slice_mut};
use stratal_tensor_base::{Geometry, MAX_RANK, Scalar, match_dtype};

use super::loops::{Loop, Loops};
use super::parts::in_parts;
use super::pick::axes;
use super::rows::{Rows, fill};
use super::{PadMode, Padding, Word, match_word};
use crate::simd::Isa;
use crate::{AnyView, AnyViewMut, Threads};

/// Bytes of what a repeated row is put together from, at most: it is read again and again, so from the first-level cache.
const REPEATED: usize = 8 << 10;

/// Bytes of a row below which a call of a copy takes longer than the copy.
const SHORT: usize = 512;

/// Extends each axis by a padding.
pub(crate) fn pad(isa: Isa, x: &AnyView<'_>, padding: &Padding<'_>, result: &mut AnyViewMut<'_>, threads: &Threads) {
    let (beyond, value) = match padding.mode {
        PadMode::Constant(value) => (Beyond::Constant, Some(value)),
        PadMode::Reflect => (Beyond::Reflect, None),
        PadMode::Edge => (Beyond::Edge, None),
        PadMode::Wrap => (Beyond::Wrap, None),
    };
    let mut start = x.geometry().offset();
    let pads = padding.before.iter().zip(padding.after);
    let extended = axes(x.geometry()).zip(axes(result.geometry())).zip(pads);
    let extended = extended.map(|(((extent_of_x, stride_of_x), (extent, stride)), (before, after))| {
        // All are within the extents of shapes, or cut everything off.
        let cut = (before.min(&0).unsigned_abs() as usize).min(extent_of_x);
        let cut_behind = (after.min(&0).unsigned_abs() as usize).min(extent_of_x - cut);
        start = start.wrapping_add_signed(cut as isize * stride_of_x);
        let before = (*before.max(&0) as usize).min(extent);
        let inside = (extent_of_x - cut - cut_behind).min(extent - before);
        Axis { extent, strides: [stride, stride_of_x], before, inside }
    });
    let extended = Extended::new(extended, beyond);
    extended.run(isa, x, start, value, result, threads);
}

/// Repeats each axis.
pub(crate) fn tile(isa: Isa, x: &AnyView<'_>, result: &mut AnyViewMut<'_>, threads: &Threads) {
    let repeated = axes(x.geometry()).zip(axes(result.geometry()));
    let repeated = repeated.map(|((inside, stride_of_x), (extent, stride))| Axis {
        extent,
        strides: [stride, stride_of_x],
        before: 0,
        inside: inside.min(extent),
    });
    let repeated = Extended::new(repeated, Beyond::Wrap);
    repeated.run(isa, x, x.geometry().offset(), None, result, threads);
}

/// What is beyond the operand's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beyond {
    Constant,
    Reflect,
    Edge,
    Wrap,
}

/// An axis of the result.
#[derive(Debug, Clone, Copy)]
struct Axis {
    extent: usize,
    /// The result's and the operand's.
    strides: [isize; 2],
    /// Elements before those of the operand.
    before: usize,
    /// Elements of the operand.
    inside: usize,
}

impl Axis {
    const UNIT: Self = Self { extent: 1, strides: [1, 1], before: 0, inside: 1 };

    /// Whether the axis is the operand's.
    const fn is_whole(&self) -> bool {
        self.before == 0 && self.inside == self.extent
    }

    /// Which element of the operand is at an index of the result; none for the constant.
    #[inline(always)]
    fn source(&self, beyond: Beyond, index: usize) -> Option<usize> {
        let end = self.before + self.inside;
        if (self.before..end).contains(&index) {
            return Some(index - self.before);
        }
        match beyond {
            Beyond::Constant => None,
            Beyond::Edge => Some(if index < end { 0 } else { self.inside - 1 }),
            Beyond::Reflect if index < end => Some(self.before - index),
            Beyond::Reflect => Some(2 * self.inside - 2 + self.before - index),
            Beyond::Wrap if index < end => Some(self.inside - 1 - (self.before - 1 - index) % self.inside),
            Beyond::Wrap => Some((index - self.before) % self.inside),
        }
    }

    /// Where an index of this axis is: of the result, and of the operand unless the constant is there.
    #[inline(always)]
    fn at(&self, beyond: Beyond, index: usize, start: usize, source: Option<usize>) -> (usize, Option<usize>) {
        let own = self.source(beyond, index);
        let source = source.zip(own).map(|(source, own)| source.wrapping_add_signed(self.strides[1] * own as isize));
        (start.wrapping_add_signed(self.strides[0] * index as isize), source)
    }

    /// This axis with a whole one inside it, if together they are one.
    fn merged(&self, inner: &Self, beyond: Beyond) -> Option<Self> {
        let scale = inner.extent as isize;
        let leads_through = self.strides == inner.strides.map(|stride| stride * scale);
        let is_same_rule = self.is_whole() || matches!(beyond, Beyond::Constant | Beyond::Wrap);
        (inner.is_whole() && leads_through && is_same_rule).then(|| Self {
            extent: self.extent * inner.extent,
            strides: inner.strides,
            before: self.before * inner.extent,
            inside: self.inside * inner.extent,
        })
    }
}

/// The axes of the result in the order of its memory, the last two being those of a row.
struct Extended {
    axes: [Axis; MAX_RANK + 1],
    rank: usize,
    beyond: Beyond,
}

impl Extended {
    fn new(list: impl Iterator<Item = Axis>, beyond: Beyond) -> Self {
        let mut ordered = [Axis::UNIT; MAX_RANK];
        let mut rank = 0;
        for axis in list.filter(|axis| axis.extent != 1 || !axis.is_whole()) {
            ordered[rank] = axis;
            rank += 1;
        }
        ordered[..rank].sort_by_key(|axis| Reverse(axis.strides[0].unsigned_abs()));
        let mut extended = Self { axes: [Axis::UNIT; MAX_RANK + 1], rank: 0, beyond };
        // From the innermost: an axis that was merged is no longer whole, and ends what can be merged into it.
        let mut merged = [Axis::UNIT; MAX_RANK];
        let mut count = 0_usize;
        for outer in ordered[..rank].iter().rev() {
            match count.checked_sub(1).and_then(|inner: usize| outer.merged(&merged[inner], beyond)) {
                Some(both) => merged[count - 1] = both,
                None => {
                    merged[count] = *outer;
                    count += 1;
                }
            }
        }
        for axis in merged[..count].iter().rev() {
            extended.axes[extended.rank] = *axis;
            extended.rank += 1;
        }
        // A row is an axis and a run inside it, which may be of one element.
        if extended.rank == 0 {
            extended.rank = 1;
        }
        if !extended.axes[extended.rank - 1].is_whole() || extended.rank == 1 {
            extended.axes[extended.rank] = Axis::UNIT;
            extended.rank += 1;
        }
        extended
    }

    fn run(
        &self,
        isa: Isa,
        x: &AnyView<'_>,
        start_of_x: usize,
        value: Option<Scalar>,
        result: &mut AnyViewMut<'_>,
        threads: &Threads,
    ) {
        let size = x.dtype().size();
        let (geometry, bytes) = result.parts();
        if geometry.shape().is_empty() {
            return;
        }
        match_word!(size, W => {
            let value = value.map_or(W::zeroed(), word_of);
            self.run_words::<W>(isa, cast_slice(x.bytes()), start_of_x, value, geometry, cast_slice_mut(bytes), threads);
        });
    }

    #[expect(clippy::too_many_arguments, reason = "one call, which only parts views")]
    fn run_words<W: Word>(
        &self,
        isa: Isa,
        x: &[W],
        start_of_x: usize,
        value: W,
        geometry: &Geometry,
        result: &mut [W],
        threads: &Threads,
    ) {
        let count = geometry.shape().count();
        let (outer, row) = self.axes[..self.rank].split_at(self.rank - 2);
        let row = Row { axis: row[0], run: row[1], beyond: self.beyond, value };
        let (lines, outer) = outer.split_last().unwrap_or((&Axis::UNIT, &[]));
        let loops = Loops::in_memory_order(axes(geometry).map(|(extent, stride)| Loop { extent, strides: [stride] }));
        let unit = row.run.extent;
        let is_dense = loops.is_dense();
        // Short rows are quicker over constants that are there already. Tried and slower: each filled just before it is copied,
        // and copies of up to 256 bytes without a call.
        let is_filled = is_dense && row.is_short() && self.beyond == Beyond::Constant;
        let is_written_twice = is_filled || row.repeats();
        let bytes = if is_written_twice { 0 } else { count * size_of::<W>() };
        in_parts(threads, result, (geometry.offset(), count), is_dense, unit, |positions, part, start_of_result| {
            if is_filled {
                part.fill(value);
            }
            Rows::of_result(isa, bytes, |rows| {
                let (mut position, end) = (positions.start / unit, positions.end / unit);
                while position < end {
                    let (mut start, mut source) = (start_of_result, Some(start_of_x));
                    let (mut number, mut column) = (position / row.axis.extent, position % row.axis.extent);
                    let first_line = number % lines.extent;
                    number /= lines.extent;
                    for axis in outer.iter().rev() {
                        let index = number % axis.extent;
                        number /= axis.extent;
                        (start, source) = axis.at(self.beyond, index, start, source);
                    }
                    for line in first_line..lines.extent {
                        let columns = column..row.axis.extent.min(column + end - position);
                        let (start, source) = lines.at(self.beyond, line, start, source);
                        position += columns.len();
                        column = 0;
                        match source {
                            Some(source) if is_filled => row.copy_inside(rows, part, x, [start, source], columns),
                            Some(source) => row.extend(rows, part, x, [start, source], columns),
                            None if is_filled => {}
                            None => row.fill(part, start, columns),
                        }
                        if position == end {
                            break;
                        }
                    }
                }
            });
        });
    }
}

/// An extended axis, and a run of whole elements inside it.
struct Row<W> {
    axis: Axis,
    run: Axis,
    beyond: Beyond,
    value: W,
}

impl<W: Word> Row<W> {
    /// Whether the row is put together by repeating a piece of the result.
    fn repeats(&self) -> bool {
        let period = self.axis.inside * self.run.extent;
        self.beyond == Beyond::Wrap
            && self.is_contiguous()
            && 2 * self.axis.inside <= self.axis.extent
            && period * size_of::<W>() <= REPEATED / 2
    }

    /// Whether the row is shorter than what a copy of it costs.
    fn is_short(&self) -> bool {
        self.axis.extent * self.run.extent * size_of::<W>() < SHORT
    }

    /// Whether the result's elements of the row lie side by side.
    fn is_contiguous(&self) -> bool {
        let [stride, run] = [self.axis.strides[0], self.run.strides[0]];
        (self.run.extent == 1 || run == 1) && stride == self.run.extent as isize
    }

    /// Writes some columns of a row, of which column 0 is at `start` and comes from `source`.
    #[inline(always)]
    fn extend(&self, rows: Rows<'_>, result: &mut [W], x: &[W], [start, source]: [usize; 2], columns: Range<usize>) {
        let axis = &self.axis;
        if self.repeats() {
            return self.repeat(result, x, [start, source], columns);
        }
        let end = axis.before + axis.inside;
        let before = columns.start..columns.end.min(axis.before);
        let behind = columns.start.max(end)..columns.end;
        for side in [before, behind] {
            match self.beyond {
                _ if side.is_empty() => {}
                Beyond::Constant => self.fill(result, start, side),
                Beyond::Wrap => {
                    let mut column = side.start;
                    while column < side.end {
                        let first = axis.source(self.beyond, column).unwrap_or(0);
                        let next = side.end.min(column + axis.inside - first);
                        self.copy(rows, result, x, [start, source], column..next, first);
                        column = next;
                    }
                }
                Beyond::Edge | Beyond::Reflect => {
                    for column in side {
                        let first = axis.source(self.beyond, column).unwrap_or(0);
                        self.copy(rows, result, x, [start, source], column..column + 1, first);
                    }
                }
            }
        }
        self.copy_inside(rows, result, x, [start, source], columns);
    }

    /// Copies those of some columns that are the operand's.
    #[inline(always)]
    fn copy_inside(&self, rows: Rows<'_>, result: &mut [W], x: &[W], starts: [usize; 2], columns: Range<usize>) {
        let axis = &self.axis;
        let inside = columns.start.max(axis.before)..columns.end.min(axis.before + axis.inside);
        if !inside.is_empty() {
            let first = inside.start - axis.before;
            self.copy(rows, result, x, starts, inside, first);
        }
    }

    /// Copies columns of the operand that follow each other from `first` on.
    #[inline(always)]
    fn copy(
        &self,
        rows: Rows<'_>,
        result: &mut [W],
        x: &[W],
        [start, source]: [usize; 2],
        columns: Range<usize>,
        first: usize,
    ) {
        let (axis, run) = (&self.axis, &self.run);
        let start = start.wrapping_add_signed(axis.strides[0] * columns.start as isize);
        let source = source.wrapping_add_signed(axis.strides[1] * first as isize);
        if run.extent == 1 {
            return rows.copy(result, x, [start, source], axis.strides, columns.len());
        }
        if self.is_contiguous() && run.strides[1] == 1 && axis.strides[1] == run.extent as isize {
            return rows.copy(result, x, [start, source], [1, 1], columns.len() * run.extent);
        }
        for column in 0..columns.len() as isize {
            let start = start.wrapping_add_signed(axis.strides[0] * column);
            let source = source.wrapping_add_signed(axis.strides[1] * column);
            rows.copy(result, x, [start, source], run.strides, run.extent);
        }
    }

    /// Sets columns to the constant.
    fn fill(&self, result: &mut [W], start: usize, columns: Range<usize>) {
        let (axis, run) = (&self.axis, &self.run);
        let start = start.wrapping_add_signed(axis.strides[0] * columns.start as isize);
        if self.is_contiguous() {
            return fill(result, start, 1, columns.len() * run.extent, self.value);
        }
        for column in 0..columns.len() as isize {
            fill(result, start.wrapping_add_signed(axis.strides[0] * column), run.strides[0], run.extent, self.value);
        }
    }

    /// Writes columns that repeat in short periods: some periods, and then those again and again.
    fn repeat(&self, result: &mut [W], x: &[W], [start, source]: [usize; 2], columns: Range<usize>) {
        let (axis, unit) = (&self.axis, self.run.extent);
        let start = start.wrapping_add_signed(axis.strides[0] * columns.start as isize);
        let row = &mut result[start..start + columns.len() * unit];
        let period = (axis.inside * unit).min(row.len());
        let mut column = 0;
        while column * unit < period {
            let first = axis.source(self.beyond, columns.start + column).unwrap_or(0);
            let length = (axis.inside - first).min(period / unit - column);
            self.copy(Rows::CACHED, row, x, [0, source], column..column + length, first);
            column += length;
        }
        let mut done = period;
        while done < row.len() {
            // Whole periods from the beginning, as many as there are until the piece is as long as it may be.
            let piece = done.min((REPEATED / size_of::<W>()) / period.max(1) * period).min(row.len() - done);
            row.copy_within(..piece, done);
            done += piece;
        }
    }
}

/// The bits of a value whose dtype has words of this type.
pub(super) fn word_of<W: Word>(value: Scalar) -> W {
    match_dtype!(value.dtype(), T => value.get::<T>().and_then(|value| bytemuck::try_cast(value).ok()))
        .unwrap_or(W::zeroed())
}
