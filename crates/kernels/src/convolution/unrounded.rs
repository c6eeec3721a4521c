//! Products whose sums are not rounded yet, since more is added to them: parts of transposed convolutions and of gradients.

use bytemuck::cast_slice_mut;

use super::padded::Pad;
use crate::matmul::{DEPTH_BLOCK, Extract, Finish, Grid, Machine, Product, Side, block, is_parallel, pack_terms};
use crate::simd::Isa;

/// Terms whose lines and depth have a distance each.
#[derive(Debug)]
pub(super) struct Lines<'a, T> {
    pub(super) elements: &'a [T],
    pub(super) line: usize,
    pub(super) step: usize,
}

impl<T: Pad> Side<T> for Lines<'_, T> {
    fn pack(&self, isa: Isa, extract: &Extract, width: usize, to: &mut [T]) {
        pack_terms(isa, self.elements, 0, (self.line as isize, self.step as isize), extract, width, to);
    }
}

/// A product of sums, unrounded.
pub(super) fn multiply<T: Pad>(
    machine: Machine<'_>,
    left: &dyn Side<T>,
    right: &dyn Side<T>,
    [rows, columns, depth]: [usize; 3],
    to: &mut [T],
) {
    if depth == 0 {
        return to.fill(T::zeroed());
    }
    let product = Product { left, right, depth, depth_block: DEPTH_BLOCK };
    let grid = Grid::with_columns(1, rows, columns);
    let in_parallel = is_parallel(&grid, depth);
    let bytes = cast_slice_mut(to);
    grid.for_each(machine.threads, in_parallel, bytes, size_of::<T>(), |part, mut rectangle| {
        if let Some(mut terms) = rectangle.elements::<T>() {
            block::compute(machine.isa, &product, &part, &mut terms, &mut ());
        }
    });
}

/// Rounds sums and finishes them.
pub(super) fn write<T: Pad>(
    machine: Machine<'_>,
    finish: &Finish<'_>,
    sums: &[T],
    [rows, columns]: [usize; 2],
    result: &mut [u8],
) {
    let grid = Grid { matrices: 1, rows, rows_each: 1, columns, columns_each: columns };
    let in_parallel = rows * columns > 1 << 16;
    grid.for_each(machine.threads, in_parallel, result, finish.dtype().size(), |part, mut rectangle| {
        let first = part.rows.start;
        let mut row = |row: usize, to: &mut [u8]| {
            T::narrow(machine.isa, finish.dtype(), &sums[(first + row) * columns..][..columns], to);
        };
        finish.apply(&part, rows, &mut rectangle, Some(&mut row));
    });
}
