//! `Side`: one of the two sides of a product, as lines along its depth.
//!
//! The lines of the left side are its rows, those of the right side its columns: element k of a line is multiplied with
//! element k of one of the other side's. A tile reads lines from panels: for each index of depth, one element of each line of
//! the panel. Packing makes panels of whatever a side is.

use std::ops::Range;

use super::direct::Direct;
use super::term::Term;
use crate::simd::Isa;

/// A range of depth and of lines of one matrix.
#[derive(Debug, Clone)]
pub(crate) struct Extract {
    /// Which matrix of a batch.
    pub(crate) matrix: usize,
    pub(crate) depth: Range<usize>,
    pub(crate) lines: Range<usize>,
}

/// One side of a product.
pub(crate) trait Side<T: Term>: Sync {
    /// Writes panels of `width` lines one behind the other, the last one filled up with anything.
    ///
    /// `to` has as many elements as the panels, and, if `width` is less than sixteen, [`SLACK`] more, whose values are left open.
    fn pack(&self, isa: Isa, extract: &Extract, width: usize, to: &mut [T]);

    /// The terms of a matrix where they lie, if they are terms and distances are not negative.
    fn direct(&self, _matrix: usize) -> Option<Direct<'_, T>> {
        None
    }

    /// Panels of sixteen lines, if the side has them ready. The ranges begin at the start of a block of depth and of a panel.
    fn ready(&self, _extract: &Extract) -> Option<&[T]> {
        None
    }
}

/// Elements that packing may write behind the panels: panels of fewer lines than a vector are written by whole vectors.
pub(crate) const SLACK: usize = crate::simd::LANES;

/// The elements of panels of `width` lines, without slack.
pub(crate) fn packed_count(extract: &Extract, width: usize) -> usize {
    extract.lines.len().next_multiple_of(width) * extract.depth.len()
}
