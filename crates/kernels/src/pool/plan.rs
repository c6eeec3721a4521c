//! `Plan`: what does not change from image to image.

use super::Span;
use crate::simd::LANES;

/// How images are walked.
#[derive(Debug)]
pub(super) struct Plan {
    /// The window along depth, height and width; images of fewer axes have extents of 1 in front.
    pub(super) spans: [Span; 3],
    /// The number of windows along each.
    pub(super) windows: [usize; 3],
    /// Strides of the images along each.
    pub(super) strides: [isize; 3],
    /// Channels that are neighbours in memory and worked on together; 1 where images are planes.
    pub(super) channels: usize,
    /// How to fold across by shifting rows, if that pays.
    pub(super) shifts: Option<Shifts>,
    /// How many elements of a window count, along each axis and for each position.
    pub(super) counts: [Vec<u64>; 3],
    /// Along each axis and for each position, the first element inside the image that a window sees, and how many. Tables,
    /// since both take divisions, which would be most of the work on a row.
    elements: [Vec<(usize, usize)>; 3],
    dilations: [usize; 3],
    /// Where the rows of each slice are kept, and where within those each row of the image is.
    places: [Vec<usize>; 2],
    /// Rows kept.
    kept_rows: usize,
}

/// Folding across planes: the row, with padding at both ends, is taken apart by the position within a stride, so that each
/// element of the window is a row of neighbours from some place on.
#[derive(Debug)]
pub(super) struct Shifts {
    /// For each part of a row that is used, the position within a stride.
    pub(super) parts: Vec<usize>,
    /// Elements of a part.
    pub(super) part: usize,
    /// Where in the parts each element of the window begins.
    pub(super) starts: Vec<usize>,
}

impl Plan {
    pub(super) fn new(
        spans: [Span; 3],
        windows: [usize; 3],
        strides: [isize; 3],
        channels: usize,
        counts_padding: bool,
    ) -> Self {
        let [depth, height, width] = spans;
        let shifts = if channels == 1 { Shifts::new(&width, windows[2]) } else { None };
        let reach = |span: &Span| (span.kernel - 1).saturating_mul(span.dilation).saturating_add(1);
        let slices = reach(&depth).min(depth.extent);
        let rows = if slices > 1 { height.extent } else { reach(&height).min(height.extent) };
        let (slices, rows) = (slices as usize, rows as usize);
        let count = |span: &Span, windows: usize| -> Vec<u64> {
            (0..windows).map(|position| span.counts(position)[usize::from(counts_padding)]).collect()
        };
        let elements = |span: &Span, windows: usize| -> Vec<(usize, usize)> {
            let range = |position| {
                let inside = span.inside(position);
                let first = span.start(position) + inside.start * span.dilation;
                (first as usize, (inside.end - inside.start).max(0) as usize)
            };
            (0..windows).map(range).collect()
        };
        Self {
            spans,
            windows,
            strides,
            channels,
            shifts,
            counts: [count(&depth, windows[0]), count(&height, windows[1]), count(&width, windows[2])],
            elements: [elements(&depth, windows[0]), elements(&height, windows[1]), elements(&width, windows[2])],
            dilations: spans.map(|span| span.dilation as usize),
            places: [
                (0..depth.extent as usize).map(|slice| slice % slices * rows).collect(),
                (0..height.extent as usize).map(|row| row % rows).collect(),
            ],
            kept_rows: slices * rows,
        }
    }

    /// Elements of a row of results.
    pub(super) fn row_length(&self) -> usize {
        self.windows[2] * self.channels
    }

    /// Elements of a row that is kept: whole vectors where rows are shifted.
    pub(super) fn kept_length(&self) -> usize {
        if self.shifts.is_some() { self.windows[2].next_multiple_of(LANES) } else { self.row_length() }
    }

    /// Rows that are kept.
    pub(super) const fn kept_rows(&self) -> usize {
        self.kept_rows
    }

    /// Where a row is kept. Rows that one window sees are kept in different places.
    #[inline(always)]
    pub(super) fn place(&self, slice: usize, row: usize) -> usize {
        self.places[0][slice] + self.places[1][row]
    }

    /// The elements that a window sees along an axis.
    #[inline(always)]
    pub(super) fn elements(&self, axis: usize, position: usize) -> Elements {
        let (first, count) = self.elements[axis][position];
        Elements { next: first, left: count, dilation: self.dilations[axis] }
    }
}

/// Elements at equal distances. An iterator of ours, since one with a step divides by it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Elements {
    next: usize,
    left: usize,
    dilation: usize,
}

impl Elements {
    /// All of them, if they are so many.
    #[inline(always)]
    pub(super) fn exactly<const N: usize>(self) -> Option<[usize; N]> {
        (self.left == N).then(|| std::array::from_fn(|number| self.next + number * self.dilation))
    }
}

impl Iterator for Elements {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        let element = self.next;
        self.next += self.dilation;
        Some(element)
    }
}

impl Shifts {
    /// None where a row with its padding would be much longer than the row.
    fn new(span: &Span, windows: usize) -> Option<Self> {
        let Span { kernel, stride, dilation, pad_begin, pad_end, extent } = *span;
        let reach = (kernel - 1).checked_mul(dilation)?;
        let longest = 4 * extent + 64;
        if reach.checked_add(pad_begin)?.checked_add(pad_end)? > longest || stride > longest {
            return None;
        }
        let [kernel, stride, dilation] = [kernel, stride, dilation].map(|length| length as usize);
        let mut parts = if stride == 2 { vec![0, 1] } else { Vec::new() };
        let part =
            (windows.next_multiple_of(LANES) + reach as usize / stride).max((pad_begin + extent) as usize / stride + 1);
        let starts = (0..kernel).map(|number| {
            let (position, shift) = (number * dilation % stride, number * dilation / stride);
            let index = parts.iter().position(|part| *part == position).unwrap_or_else(|| {
                parts.push(position);
                parts.len() - 1
            });
            index * part + shift
        });
        let starts = starts.collect();
        Some(Self { parts, part, starts })
    }
}
