//! `Prepacked`: a right side that is packed once for all tasks of a product.

use super::block::Product;
use super::scratch::{self, Use};
use super::side::{Extract, Side, packed_count};
use super::term::Term;
use crate::Threads;
use crate::simd::{Isa, LANES};

/// Panels of sixteen columns for each block of depth.
#[derive(Debug)]
pub(crate) struct Prepacked<'a, T> {
    /// Blocks of depth one behind the other, in each the panels.
    elements: &'a [T],
    /// Columns, with those that the last panel is filled up with.
    columns: usize,
}

/// Calls with the right side packed.
pub(crate) fn with<T: Term, R>(
    isa: Isa,
    threads: &Threads,
    product: &Product<'_, T>,
    columns: usize,
    work: impl FnOnce(&dyn Side<T>) -> R,
) -> R {
    let padded = columns.next_multiple_of(LANES);
    scratch::with::<T, _>(Use::Shared, product.depth * padded, |elements| {
        // A block of depth is worth a thread.
        threads.for_each_chunk(elements, product.depth_block * padded, |position, to| {
            let first = position / padded;
            let depth = first..first + to.len() / padded;
            product.right.pack(isa, &Extract { matrix: 0, depth, lines: 0..columns }, LANES, to);
        });
        work(&Prepacked { elements, columns: padded })
    })
}

impl<T: Term> Side<T> for Prepacked<'_, T> {
    fn pack(&self, _isa: Isa, extract: &Extract, _width: usize, to: &mut [T]) {
        if let Some(panels) = self.ready(extract) {
            to[..panels.len()].copy_from_slice(panels);
        }
    }

    fn ready(&self, extract: &Extract) -> Option<&[T]> {
        let first = extract.depth.start * self.columns + extract.lines.start * extract.depth.len();
        Some(&self.elements[first..first + packed_count(extract, LANES)])
    }
}
