//! Products without packing: small ones, where packing would take as long as multiplying, and those of a few rows, which read
//! the right side only once anyway.
//!
//! Both sides are read where they lie: the rows of the left one along the depth, the rows of the right one across the columns.

use super::block::Product;
use super::rectangle::{Part, Rectangle};
use super::scratch::{self, Use};
use super::side::Extract;
use super::term::Term;
use super::tile::{self, Order, Tile};
use crate::simd::{Isa, LANES};

/// Terms in memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Direct<'a, T> {
    /// From the first element of the matrix on.
    pub(crate) elements: &'a [T],
    /// The distance of neighbouring lines, and of neighbours along the depth.
    pub(crate) line: usize,
    pub(crate) step: usize,
}

/// Rows of the whole product up to which its right side is not packed.
const ROWS: usize = 12;
/// Elements of a matrix of the right side up to which neither side is packed.
const SMALL: usize = 128 * 128;

/// Whether packing is not worth its time, and both sides can be read as they lie.
pub(crate) fn is_chosen<T: Term>(product: &Product<'_, T>, rows: usize, columns: usize) -> bool {
    (rows <= ROWS || columns * product.depth <= SMALL) && sides(product, 0).is_some()
}

/// The sides of a matrix as they lie, if they can be read so.
pub(crate) fn sides<'a, T: Term>(product: &Product<'a, T>, matrix: usize) -> Option<(Direct<'a, T>, Direct<'a, T>)> {
    let (left, right) = (product.left.direct(matrix)?, product.right.direct(matrix)?);
    (left.step == 1 && right.line == 1).then_some((left, right))
}

/// Computes a part of the result.
pub(crate) fn compute<T: Term>(
    isa: Isa,
    product: &Product<'_, T>,
    (left, right): (Direct<'_, T>, Direct<'_, T>),
    part: &Part,
    result: &mut Rectangle<'_, T>,
) {
    let (rows, columns) = (part.rows.len(), part.columns.len());
    let most = tile::rows_in_place::<T>(isa);
    let high = rows.div_ceil(rows.div_ceil(most));
    for depth in product.blocks() {
        let mut first = 0;
        while first < columns / LANES * LANES {
            let mut panels = tile::panels::<T>(isa, high);
            while panels * LANES > columns - first {
                panels /= 2;
            }
            let last = first + panels * LANES;
            for row in (0..rows).step_by(high) {
                let count = high.min(rows - row);
                let mut tile = Tile {
                    a: &left.elements[(part.rows.start + row) * left.line + depth.start..],
                    rows: count,
                    b: &right.elements[depth.start * right.step + part.columns.start + first..],
                    panels,
                    order: Order::Rows { a: left.line, b: right.step },
                    depth: depth.len(),
                    is_first: depth.start == 0,
                    result: result.part(row..row + count, first..last),
                };
                tile::run(isa, &mut tile);
            }
            first = last;
        }
        if first < columns {
            // Columns that fill no vector are packed.
            let lines = part.columns.start + first..part.columns.end;
            scratch::with::<T, _>(Use::Task, depth.len() * LANES, |room| {
                product.right.pack(isa, &Extract { matrix: part.matrix, depth: depth.clone(), lines }, LANES, room);
                for row in (0..rows).step_by(high) {
                    let count = high.min(rows - row);
                    let mut tile = Tile {
                        a: &left.elements[(part.rows.start + row) * left.line + depth.start..],
                        rows: count,
                        b: room,
                        panels: 1,
                        order: Order::Rows { a: left.line, b: LANES },
                        depth: depth.len(),
                        is_first: depth.start == 0,
                        result: result.part(row..row + count, first..columns),
                    };
                    tile::run(isa, &mut tile);
                }
            });
        }
    }
}
