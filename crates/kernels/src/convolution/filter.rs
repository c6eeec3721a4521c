//! `Filter`: the weights of a convolution as one side of a product: a line for each output channel, in the order of sums.

use super::Depth;
use super::images::Images;
use super::padded::Pad;
use crate::AnyView;
use crate::matmul::{Extract, Side, pack_terms};
use crate::simd::Isa;

/// Weights as terms. Which matrix counts the groups of an image, and then the images.
#[derive(Debug)]
pub(crate) struct Filter<'a, T> {
    /// For each output channel, all of its terms.
    elements: &'a [T],
    groups: usize,
    /// Output channels of a group.
    rows: usize,
    depth: usize,
}

impl<'a, T: Pad> Filter<'a, T> {
    /// Copies weights into room for all of them.
    pub(crate) fn new(isa: Isa, weights: &AnyView<'_>, groups: usize, depth: Depth, room: &'a mut [T]) -> Self {
        let images = Images::new(weights.geometry());
        let [_, height, width] = images.extents();
        let outputs = images.batch.0;
        // The same for each output channel.
        let distances: Vec<isize> = depth
            .terms()
            .map(|(channel, tap)| images.distance(channel, [tap / (height * width), tap / width % height, tap % width]))
            .collect();
        let starts = (0..outputs).map(|output| images.at(output, 0, [0; 3]));
        T::gather(isa, weights, starts, &distances, room);
        Self { elements: room, groups, rows: outputs / groups, depth: depth.count() }
    }

    /// The terms of an output channel of a matrix.
    pub(crate) fn line(&self, matrix: usize, row: usize) -> &[T] {
        let first = (matrix % self.groups * self.rows + row) * self.depth;
        &self.elements[first..first + self.depth]
    }
}

impl<T: Pad> Side<T> for Filter<'_, T> {
    fn pack(&self, isa: Isa, extract: &Extract, width: usize, to: &mut [T]) {
        let start = extract.matrix % self.groups * self.rows * self.depth;
        pack_terms(isa, self.elements, start, (self.depth as isize, 1), extract, width, to);
    }
}
