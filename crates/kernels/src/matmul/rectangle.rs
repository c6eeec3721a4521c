//! `Rectangle`: a part of a matrix that one thread writes, while others write others.
#![expect(unsafe_code, reason = "hands out disjoint parts of a slice that do not lie side by side")]

use std::marker::PhantomData;
use std::ops::Range;

use bytemuck::Pod;

use crate::Threads;
use crate::simd::LANES;

/// Some rows and columns of a matrix whose rows have a distance of their own.
#[derive(Debug)]
pub(crate) struct Rectangle<'a, T> {
    /// For each row, `start + row * distance` lies in the allocation (or at its end, where there are no columns), and the
    /// `columns` elements from there on are ones that this value alone may touch for `'a`. Rows do not overlap: the distance is
    /// at least `columns`, unless there is only one row.
    start: *mut T,
    rows: usize,
    columns: usize,
    distance: usize,
    elements: PhantomData<&'a mut [T]>,
}

// SAFETY: a rectangle is an exclusive borrow of its elements, as a `&mut [T]` is, and that may go to another thread when `T`
// may.
unsafe impl<T: Send> Send for Rectangle<'_, T> {}

impl<'a, T: Pod> Rectangle<'a, T> {
    /// All of a slice, as rows of `columns` elements. A rest that fills no row is left alone.
    pub(crate) fn new(elements: &'a mut [T], columns: usize) -> Self {
        let rows = elements.len().checked_div(columns).unwrap_or(0);
        Self { start: elements.as_mut_ptr(), rows, columns, distance: columns, elements: PhantomData }
    }

    pub(crate) const fn rows(&self) -> usize {
        self.rows
    }

    pub(crate) const fn columns(&self) -> usize {
        self.columns
    }

    /// The elements of a row.
    ///
    /// # Panics
    /// When there is no such row.
    #[inline(always)]
    pub(crate) fn row(&mut self, row: usize) -> &mut [T] {
        assert!(row < self.rows, "row {row} of {}", self.rows);
        // SAFETY: by the invariant of `start`, the row begins in the same allocation, or at its end if it has no elements.
        let start = unsafe { self.start.add(row * self.distance) };
        // SAFETY: by the invariant of `start`, the elements from there on are initialised, and are this value's alone; the
        // borrow of `self` keeps it from handing them out twice.
        unsafe { std::slice::from_raw_parts_mut(start, self.columns) }
    }

    /// Some of the rows and columns, for as long as this value is not used.
    ///
    /// # Panics
    /// When there are no such rows or columns.
    pub(crate) fn part(&mut self, rows: Range<usize>, columns: Range<usize>) -> Rectangle<'_, T> {
        assert!(rows.start <= rows.end && rows.end <= self.rows, "rows {rows:?} of {}", self.rows);
        assert!(columns.start <= columns.end && columns.end <= self.columns, "columns {columns:?} of {}", self.columns);
        let start = if rows.is_empty() || columns.is_empty() {
            self.start
        } else {
            // SAFETY: both ranges have elements and lie within the rectangle, so by the invariant of `start` the first element
            // of the part lies in the same allocation.
            unsafe { self.start.add(rows.start * self.distance + columns.start) }
        };
        Rectangle { start, rows: rows.len(), columns: columns.len(), distance: self.distance, elements: PhantomData }
    }
}

impl Rectangle<'_, u8> {
    /// The same bytes as elements of a type, if rows begin and end between elements.
    pub(crate) fn elements<T: Pod>(&mut self) -> Option<Rectangle<'_, T>> {
        let Self { start, rows, columns, distance, .. } = *self;
        let size = size_of::<T>();
        let is_whole = size > 0 && columns.is_multiple_of(size) && distance.is_multiple_of(size);
        let start = start.cast::<T>();
        // Any bits are a value of plain old data, so the invariant of `start` is kept: the same bytes, in fewer elements.
        (is_whole && start.is_aligned()).then(|| Rectangle {
            start,
            rows,
            columns: columns / size,
            distance: distance / size,
            elements: PhantomData,
        })
    }
}

/// How a stack of matrices that lie side by side, row by row, is cut into rectangles.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grid {
    /// The matrices.
    pub(crate) matrices: usize,
    /// Rows of each, and of a rectangle; the last rectangles have what is left.
    pub(crate) rows: usize,
    pub(crate) rows_each: usize,
    /// Columns of each, and of a rectangle; the last rectangles have what is left.
    pub(crate) columns: usize,
    pub(crate) columns_each: usize,
}

/// Which part of a stack of matrices a rectangle is.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) matrix: usize,
    pub(crate) rows: Range<usize>,
    pub(crate) columns: Range<usize>,
}

impl Grid {
    /// For products: rows as many as are packed together; columns only where rows alone make too few parts.
    pub(crate) fn new(matrices: usize, rows: usize, columns: usize) -> Self {
        // So many rows of a block of depth take an eighth of a megabyte when packed. With more than one matrix each part packs
        // its right side anew, so parts are larger.
        let (most_rows, most_parts) = if matrices > 1 { (504, 1) } else { (126, 8) };
        let fewest = rows.div_ceil(most_rows).max(1);
        // As many parts for each of two or four threads.
        let down = if fewest > 3 { fewest.next_multiple_of(4) } else { fewest };
        let across = (most_parts / down).min(columns / 512).max(1);
        let columns_each = columns.div_ceil(across).next_multiple_of(LANES);
        Self { matrices, rows, rows_each: rows.div_ceil(down), columns, columns_each }
    }

    /// For products whose right side is better packed once: all rows together, and columns in some parts.
    pub(crate) fn with_columns(matrices: usize, rows: usize, columns: usize) -> Self {
        const MOST_ROWS: usize = 504;
        let down = rows.div_ceil(MOST_ROWS).max(1);
        let across = (8 / matrices.max(1)).clamp(1, (columns / 256).max(1));
        let columns_each = columns.div_ceil(across).next_multiple_of(LANES);
        Self { matrices, rows, rows_each: rows.div_ceil(down), columns, columns_each }
    }

    /// Does work on each rectangle of elements of so many bytes, on as many threads as there are if `in_parallel`.
    ///
    /// # Panics
    /// When the elements are fewer than the grid says.
    pub(crate) fn for_each(
        &self,
        threads: &Threads,
        in_parallel: bool,
        elements: &mut [u8],
        size: usize,
        work: impl Fn(Part, Rectangle<'_, u8>) + Sync,
    ) {
        if self.matrices == 0 || self.rows == 0 || self.columns == 0 {
            return;
        }
        let distance = self.columns.checked_mul(size);
        let matrix_bytes = distance.and_then(|distance| distance.checked_mul(self.rows));
        let all = matrix_bytes.and_then(|bytes| bytes.checked_mul(self.matrices));
        let (Some(distance), Some(matrix_bytes), true) =
            (distance, matrix_bytes, all.is_some_and(|all| all <= elements.len()))
        else {
            panic!("{} bytes for {self:?}", elements.len());
        };
        let (rows_each, columns_each) = (self.rows_each.max(1), self.columns_each.max(1));
        let (down, across) = (self.rows.div_ceil(rows_each), self.columns.div_ceil(columns_each));
        let start = &Shared(elements.as_mut_ptr());
        let one = |index: usize| {
            let (matrix, within) = (index / (down * across), index % (down * across));
            let first_row = within / across * rows_each;
            let first_column = within % across * columns_each;
            let rows = first_row..(first_row + rows_each).min(self.rows);
            let columns = first_column..(first_column + columns_each).min(self.columns);
            // SAFETY: the matrix, its first row and first column exist, and all matrices lie in the slice, or the function would
            // have ended above.
            let start = unsafe { start.0.add(matrix * matrix_bytes + first_row * distance + first_column * size) };
            // Numbers differ in the matrix, the rows or the columns, and each is worked on once: no two rectangles share an
            // element. They end before the exclusive borrow of the slice does.
            let (height, width) = (rows.len(), columns.len() * size);
            let rectangle = Rectangle { start, rows: height, columns: width, distance, elements: PhantomData };
            work(Part { matrix, rows, columns }, rectangle);
        };
        threads.for_each_index(self.matrices * down * across, in_parallel, one);
    }
}

/// The start of a slice that is cut into rectangles.
struct Shared(*mut u8);

// SAFETY: only `Grid::for_each` makes one and takes it apart, into rectangles of bytes that do not overlap; each goes to one
// thread.
unsafe impl Sync for Shared {}

#[cfg(test)]
mod tests {
    use bytemuck::cast_slice_mut;

    use super::*;

    #[test]
    fn every_element_is_in_one_rectangle() {
        for (matrices, rows, columns) in [(1, 1, 1), (3, 5, 7), (2, 4, 6), (1, 9, 1), (0, 2, 2), (2, 0, 3)] {
            for (rows_each, columns_each) in [(1, 1), (2, 3), (4, 4), (100, 100), (0, 0)] {
                let grid = Grid { matrices, rows, rows_each, columns, columns_each };
                let mut elements = vec![0_u32; matrices * rows * columns + 1];
                let threads = Threads::own(3).expect("three threads");
                grid.for_each(&threads, true, cast_slice_mut(&mut elements), 4, |part, mut bytes| {
                    let mut rectangle = bytes.elements::<u32>().expect("whole elements");
                    assert_eq!((rectangle.rows(), rectangle.columns()), (part.rows.len(), part.columns.len()));
                    for (index, row) in part.rows.clone().enumerate() {
                        for (element, column) in rectangle.row(index).iter_mut().zip(part.columns.clone()) {
                            *element += (part.matrix * rows * columns + row * columns + column) as u32 + 1;
                        }
                    }
                });
                let expected: Vec<u32> = (1..=(matrices * rows * columns) as u32).chain([0]).collect();
                assert_eq!(elements, expected, "{grid:?}");
            }
        }
    }

    #[test]
    fn parts_are_of_the_rows_and_columns_asked_for() {
        let mut elements: Vec<u32> = (0..24).collect();
        let mut whole = Rectangle::new(&mut elements, 6);
        let mut part = whole.part(1..3, 2..5);
        assert_eq!(part.row(0), [8, 9, 10]);
        assert_eq!(part.row(1), [14, 15, 16]);
        assert_eq!(part.part(1..2, 1..3).row(0), [15, 16]);
        assert_eq!(whole.part(4..4, 6..6).rows(), 0);
    }

    #[test]
    #[should_panic(expected = "row 4 of 4")]
    fn a_row_too_many_is_refused() {
        let mut elements = [0_u32; 24];
        Rectangle::new(&mut elements, 6).row(4);
    }
}
