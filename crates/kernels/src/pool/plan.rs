//! `Plan`: what does not change from image to image.

use std::ops::Range;

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
    /// Rows kept, in depth and in height.
    kept: [usize; 2],
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
        let count = |span: &Span, windows: usize| -> Vec<u64> {
            (0..windows).map(|position| span.counts(position)[usize::from(counts_padding)]).collect()
        };
        let counts = [count(&depth, windows[0]), count(&height, windows[1]), count(&width, windows[2])];
        Self { spans, windows, strides, channels, shifts, counts, kept: [slices as usize, rows as usize] }
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
    pub(super) fn kept_rows(&self) -> usize {
        self.kept[0] * self.kept[1]
    }

    /// Where a row is kept. Rows that one window sees are kept in different places.
    pub(super) fn place(&self, slice: usize, row: usize) -> usize {
        slice % self.kept[0] * self.kept[1] + row % self.kept[1]
    }

    /// The elements that a window sees along an axis.
    pub(super) fn elements(&self, axis: usize, position: usize) -> impl Iterator<Item = usize> + use<> {
        let span = self.spans[axis];
        let (start, inside): (i64, Range<i64>) = (span.start(position), span.inside(position));
        inside.map(move |number| (start + number * span.dilation) as usize)
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
