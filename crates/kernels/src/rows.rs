//! Rows: operands of any strides as rows along some axes, one row for each index of the other axes.
//!
//! Element k of a row is the one at the k-th index of the axes along it, in row-major order; rows are counted the same way.
//! Rows that lie side by side are read where they are, others are gathered. The text here knows the size of an element and
//! not its type, so it is compiled once for all operations and dtypes.

use std::ops::Range;

use bytemuck::{Pod, cast_slice, cast_slice_mut};
use stratal_tensor_base::{Geometry, MAX_RANK, Shape};

/// Which axes are along the rows, by number.
pub(crate) type Along = [bool; MAX_RANK];

/// The length of rows and the distance from one to the next, if each lies side by side and one distance leads through all; no
/// axis across them may be inside one along them. The usual case, found without the cost of merging axes.
pub(crate) fn side_by_side(geometry: &Geometry, along: &Along) -> Option<(usize, isize)> {
    let shape = geometry.shape().extents();
    let (mut length, mut step) = (1_i64, None);
    // The distance that an axis must have to lead on.
    let mut next = 1;
    for ((extent, stride), is_along) in shape.iter().zip(geometry.strides()).zip(along).rev() {
        if *extent == 1 {
            continue;
        }
        let stride = i64::from(*stride);
        if *is_along {
            if step.is_some() || stride != length {
                return None;
            }
            length *= i64::from(*extent);
        } else {
            if step.is_some() && stride != next {
                return None;
            }
            step = step.or(Some(stride));
            next = stride * i64::from(*extent);
        }
    }
    Some((length as usize, step.unwrap_or(0) as isize))
}

/// Some axes of an operand, neighbours merged where one stride leads through both.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Axes<'a> {
    /// Outermost first, none of them 1.
    extents: &'a [u32],
    strides: &'a [i32],
    count: u32,
}

impl Axes<'_> {
    /// The number of indices.
    pub(crate) const fn count(&self) -> usize {
        self.count as usize
    }

    /// The one stride that leads through all elements, if there is one. A single element has any, and says 1.
    pub(crate) fn stride(&self) -> Option<isize> {
        match self.strides {
            [] => Some(1),
            [stride] => Some(*stride as isize),
            _ => None,
        }
    }

    /// The axis whose index changes first: its extent and stride.
    pub(crate) fn innermost(&self) -> (usize, isize) {
        match (self.extents, self.strides) {
            ([.., extent], [.., stride]) => (*extent as usize, *stride as isize),
            _ => (1, 1),
        }
    }

    /// The axis whose index changes last: its extent and stride.
    pub(crate) fn outermost(&self) -> (usize, isize) {
        match (self.extents, self.strides) {
            ([extent, ..], [stride, ..]) => (*extent as usize, *stride as isize),
            _ => (1, 0),
        }
    }

    /// Whether all indices mean the same element.
    pub(crate) fn is_constant(&self) -> bool {
        self.strides.iter().all(|stride| *stride == 0)
    }

    /// How far the element at a position is from the first.
    pub(crate) fn distance(&self, mut position: usize) -> isize {
        if let [stride] = self.strides {
            return (*stride as isize).wrapping_mul(position as isize);
        }
        let mut distance = 0_isize;
        for (extent, stride) in self.extents.iter().zip(self.strides).rev() {
            let extent = *extent as usize;
            distance = distance.wrapping_add((*stride as isize).wrapping_mul((position % extent) as isize));
            position /= extent;
        }
        distance
    }

    /// Calls with pieces along the innermost axis: the position within the range, the distance of the first element, the
    /// number of elements and their stride.
    fn for_each_piece(&self, positions: Range<usize>, mut work: impl FnMut(usize, isize, usize, isize)) {
        let (extent, stride) = self.innermost();
        let mut position = positions.start;
        while position < positions.end {
            let length = (extent - position % extent).min(positions.end - position);
            work(position - positions.start, self.distance(position), length, stride);
            position += length;
        }
    }
}

/// Which elements the rows of an operand mean. Small enough to be copied in registers, since each call makes some.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Places {
    offset: usize,
    /// The merged axes, those across the rows before those along them.
    extents: [u32; MAX_RANK],
    strides: [i32; MAX_RANK],
    /// How many are across the rows, and how many there are.
    ranks: [u8; 2],
    /// The number of indices of either.
    counts: [u32; 2],
}

impl Places {
    pub(crate) fn new(geometry: &Geometry, along: &Along) -> Self {
        let (extents, strides) = ([1; MAX_RANK], [0; MAX_RANK]);
        let mut places = Self { offset: geometry.offset(), extents, strides, ranks: [0; 2], counts: [1; 2] };
        let shape = geometry.shape().extents();
        let mut rank = 0;
        for side in 0..2 {
            let first = rank;
            for ((extent, stride), is_along) in shape.iter().zip(geometry.strides()).zip(along) {
                if *is_along == (side == 1) {
                    // A part of a shape's count, except in an empty shape, where it only has to be zero or not.
                    places.counts[side] = places.counts[side].saturating_mul(*extent);
                    rank = places.push(first, rank, *extent, *stride);
                }
            }
            places.ranks[side] = rank as u8;
        }
        places
    }

    /// Adds an axis inside those from `first` to `rank`, and gives their new end.
    fn push(&mut self, first: usize, rank: usize, extent: u32, stride: i32) -> usize {
        if extent == 1 {
            return rank;
        }
        if rank > first
            && i64::from(stride) * i64::from(extent) == i64::from(self.strides[rank - 1])
            && let Some(merged) = self.extents[rank - 1].checked_mul(extent)
        {
            (self.extents[rank - 1], self.strides[rank - 1]) = (merged, stride);
            return rank;
        }
        (self.extents[rank], self.strides[rank]) = (extent, stride);
        rank + 1
    }

    /// The axes of which each index is a row.
    pub(crate) fn across(&self) -> Axes<'_> {
        let end = self.ranks[0] as usize;
        Axes { extents: &self.extents[..end], strides: &self.strides[..end], count: self.counts[0] }
    }

    /// The axes along the rows.
    pub(crate) fn along(&self) -> Axes<'_> {
        let range = self.ranks[0] as usize..self.ranks[1] as usize;
        Axes { extents: &self.extents[range.clone()], strides: &self.strides[range], count: self.counts[1] }
    }

    /// Where the first element of a row is.
    pub(crate) fn start(&self, row: usize) -> usize {
        self.offset.wrapping_add_signed(self.across().distance(row))
    }

    /// The same rows in a slice that lacks so many elements at its beginning.
    pub(crate) const fn without_first(mut self, elements: usize) -> Self {
        // Wraps for rows before the slice, which are not asked for.
        self.offset = self.offset.wrapping_sub(elements);
        self
    }

    /// How many rows from one on lie beside each other, so that their elements at an index are neighbours in memory.
    pub(crate) fn beside(&self, row: usize) -> usize {
        let (extent, stride) = self.across().innermost();
        if stride == 1 { extent - row % extent } else { 1 }
    }

    /// So many rows that lie beside each other, among so many elements, as one operand: its first axis is across the rows.
    pub(crate) fn tile(&self, row: usize, count: usize, elements: usize) -> Option<Geometry> {
        let along = self.along();
        let (mut extents, mut strides) = ([count as i64; MAX_RANK], [1; MAX_RANK]);
        // Rows that lie beside each other leave room for one axis.
        let rank = 1 + along.extents.len();
        for (axis, (extent, stride)) in along.extents.iter().zip(along.strides).enumerate() {
            (extents[axis + 1], strides[axis + 1]) = (i64::from(*extent), i64::from(*stride));
        }
        let shape = Shape::new(&extents[..rank]).ok()?;
        Geometry::strided(shape, &strides[..rank], self.start(row) as i64, elements as u64).ok()
    }

    /// Whether the elements of each row are side by side.
    pub(crate) fn are_direct(&self) -> bool {
        self.along().count() == 0 || self.along().stride() == Some(1)
    }

    /// The elements of a row, if they are side by side.
    pub(crate) fn direct(&self, row: usize) -> Option<Range<usize>> {
        match (self.along().count(), self.along().stride()) {
            // Where nothing is, no offset is within bounds.
            (0, _) => Some(0..0),
            (count, Some(1)) => {
                let start = self.start(row);
                Some(start..start + count)
            }
            _ => None,
        }
    }

    /// Copies elements of a row out.
    pub(crate) fn gather(&self, bytes: &[u8], size: usize, row: usize, positions: Range<usize>, to: &mut [u8]) {
        match size {
            1 => self.gather_words::<u8>(bytes, row, positions, to),
            2 => self.gather_words::<u16>(cast_slice(bytes), row, positions, cast_slice_mut(to)),
            4 => self.gather_words::<u32>(cast_slice(bytes), row, positions, cast_slice_mut(to)),
            _ => self.gather_words::<u64>(cast_slice(bytes), row, positions, cast_slice_mut(to)),
        }
    }

    /// Copies elements of a row in.
    pub(crate) fn scatter(&self, from: &[u8], size: usize, row: usize, positions: Range<usize>, bytes: &mut [u8]) {
        match size {
            1 => self.scatter_words::<u8>(from, row, positions, bytes),
            2 => self.scatter_words::<u16>(cast_slice(from), row, positions, cast_slice_mut(bytes)),
            4 => self.scatter_words::<u32>(cast_slice(from), row, positions, cast_slice_mut(bytes)),
            _ => self.scatter_words::<u64>(cast_slice(from), row, positions, cast_slice_mut(bytes)),
        }
    }

    fn gather_words<W: Pod>(&self, elements: &[W], row: usize, positions: Range<usize>, to: &mut [W]) {
        let start = self.start(row);
        self.along().for_each_piece(positions, |at, distance, length, stride| {
            let mut offset = start.wrapping_add_signed(distance);
            let to = &mut to[at..at + length];
            match stride {
                1 => to.copy_from_slice(&elements[offset..offset + length]),
                0 => to.fill(elements[offset]),
                _ => {
                    for word in to {
                        *word = elements[offset];
                        offset = offset.wrapping_add_signed(stride);
                    }
                }
            }
        });
    }

    fn scatter_words<W: Pod>(&self, from: &[W], row: usize, positions: Range<usize>, elements: &mut [W]) {
        let start = self.start(row);
        self.along().for_each_piece(positions, |at, distance, length, stride| {
            let mut offset = start.wrapping_add_signed(distance);
            let from = &from[at..at + length];
            if stride == 1 {
                elements[offset..offset + length].copy_from_slice(from);
            } else {
                for word in from {
                    elements[offset] = *word;
                    offset = offset.wrapping_add_signed(stride);
                }
            }
        });
    }
}
