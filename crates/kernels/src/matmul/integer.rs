//! Products of bytes: u8 and i8 with zero points, summed in i32.
//!
//! ```text
//!   Bytes         a side of bytes: the left one made u8, the right one i8 by flipping the top bit; packed in quads
//!     │
//!   Quad          four bytes along the depth, the term of these products: block and tile are those of all products
//!     │
//!   Correction    zero points, and the flips: from the sums of lines, when a rectangle is complete
//! ```
//!
//! Flipping the top bit of an i8 adds 128 and makes it a u8; flipping that of a u8 takes 128 off and makes it an i8. Zero
//! points are moved alike, so differences stay the same. All sums wrap, so no order of theirs matters.

mod bytes;
mod correction;
mod quad;

pub(super) use bytes::{Bytes, Sign};
pub(super) use correction::column_sums;
pub(super) use quad::{QUAD, Quad};

use super::block::{self, Product};
use super::placed::with_bytes;
use super::rectangle::Grid;
use super::side::{Extract, Side};
use super::{DEPTH_BLOCK, Fitted, LEFT, Machine, Operand, Order, PARALLEL, RIGHT, Right, prepacked};
use crate::{AnyView, AnyViewMut, KernelError};
use correction::{Correction, LineZeros};

/// The bytes that mean zero, for both sides of a product of bytes. A side without has 0.
///
/// Each has its operand's dtype and broadcasts: that of the left side to `[.., m, 1]`, so it is one for all or one a row; that
/// of the right side to `[.., 1, n]`, so it is one for all or one a column.
#[derive(Debug, Clone, Copy, Default)]
pub struct ZeroPoints<'a> {
    /// Of the left side.
    pub a: Option<&'a AnyView<'a>>,
    /// Of the right side.
    pub b: Option<&'a AnyView<'a>>,
}

/// A product of bytes whose operands were checked, zero points expanded to all lines of the result's matrices.
#[derive(Debug)]
pub(crate) struct FittedBytes<'a> {
    pub(crate) sides: Fitted<'a>,
    pub(crate) zero_a: Option<AnyView<'a>>,
    pub(crate) zero_b: Option<AnyView<'a>>,
}

/// Multiplies the matrices of bytes in the last two axes.
pub(crate) fn run(
    machine: Machine<'_>,
    fitted: &FittedBytes<'_>,
    result: &mut AnyViewMut<'_>,
) -> Result<(), KernelError> {
    if result.shape().is_empty() {
        return Ok(());
    }
    let order = Order::of(result.geometry(), &fitted.sides);
    with_bytes(machine, result, order != Order::Neither, false, |bytes| {
        multiply(machine, fitted, order, bytes);
        Ok(())
    })
}

/// Multiplies into a result that lies side by side in the order given.
fn multiply(machine: Machine<'_>, fitted: &FittedBytes<'_>, order: Order, result: &mut [u8]) {
    let Fitted { a, b, rows, columns, depth, .. } = fitted.sides;
    let matrices = result.len() / size_of::<i32>() / (rows * columns);
    let (zero_a, zero_b) = (fitted.zero_a.as_ref(), fitted.zero_b.as_ref());
    if let (Right::View(b), Order::Columns) = (b, order) {
        // The other way round: columns are on the left side.
        let left = Bytes { strided: Operand::new(&b, RIGHT, matrices).matrices, sign: Sign::Unsigned, depth };
        let right = Bytes { strided: Operand::new(&a, LEFT, matrices).matrices, sign: Sign::Signed, depth };
        let points = [(zero_b, b.dtype(), Sign::Unsigned), (zero_a, a.dtype(), Sign::Signed)];
        let [left_points, right_points] = points.map(|(view, dtype, sign)| LineZeros::new(view, dtype, sign));
        let correction = Correction { depth, left: &left_points, right: &right_points, right_sums: None };
        return compute(machine, &left, &right, Grid::new(matrices, columns, rows), &correction, result);
    }
    let view;
    let (right, dtype_of_b, right_sums, is_constant): (&dyn Side<Quad>, _, _, _) = match b {
        Right::View(b) => {
            let operand = Operand::new(&b, RIGHT, matrices);
            view = Bytes { strided: operand.matrices, sign: Sign::Signed, depth };
            (&view, b.dtype(), None, operand.is_constant)
        }
        Right::Packed(b) => (b, b.dtype(), Some(b.sums()), true),
    };
    let points = [(zero_a, a.dtype(), Sign::Unsigned), (zero_b, dtype_of_b, Sign::Signed)];
    let [left_points, right_points] = points.map(|(view, dtype, sign)| LineZeros::new(view, dtype, sign));
    let correction = Correction { depth, left: &left_points, right: &right_points, right_sums };
    let operand = Operand::new(&a, LEFT, matrices);
    // One right side for all: the matrices of the left one are one below the other.
    let (strided, grid) = match operand.merged {
        Some(merged) if is_constant && correction.right.is_the_same_for_all() => {
            (merged, Grid::new(1, matrices * rows, columns))
        }
        _ => (operand.matrices, Grid::new(matrices, rows, columns)),
    };
    compute(machine, &Bytes { strided, sign: Sign::Unsigned, depth }, right, grid, &correction, result);
}

/// Computes a product whose result lies row by row.
fn compute(
    machine: Machine<'_>,
    left: &dyn Side<Quad>,
    right: &dyn Side<Quad>,
    grid: Grid,
    correction: &Correction<'_>,
    result: &mut [u8],
) {
    let (isa, depth) = (machine.isa, correction.depth);
    let product = Product { left, right, depth: depth.div_ceil(QUAD), depth_block: DEPTH_BLOCK };
    let work = grid.matrices.saturating_mul(grid.rows).saturating_mul(grid.columns).saturating_mul(product.depth);
    let tasks = |product: &Product<'_, Quad>, correction: &Correction<'_>, result: &mut [u8]| {
        grid.for_each(machine.threads, work >= PARALLEL, result, size_of::<i32>(), |part, mut rectangle| {
            let Some(mut sums) = rectangle.elements::<Quad>() else {
                return debug_assert!(false, "i32 do not lie on their boundaries");
            };
            correction.with(isa, &part, |watch| block::compute(isa, product, &part, &mut sums, watch));
        });
    };
    if depth == 0 {
        // Each sum is of nothing.
        return result.fill(0);
    }
    let has_many_tasks = grid.matrices == 1 && grid.rows > grid.rows_each;
    let one = Extract { matrix: 0, depth: 0..DEPTH_BLOCK.min(product.depth), lines: 0..grid.columns };
    if has_many_tasks && right.ready(&one).is_none() {
        // Once for all tasks.
        prepacked::with(isa, machine.threads, &product, grid.columns, |right| {
            let product = Product { right, ..product };
            if correction.left.is_zero() {
                return tasks(&product, correction, result);
            }
            let all = Extract { matrix: 0, depth: 0..product.depth, lines: 0..grid.columns };
            let panels = right.ready(&all).unwrap_or_default();
            let sums = column_sums(isa, machine.threads, panels, grid.columns);
            tasks(&product, &Correction { right_sums: Some(&sums), ..*correction }, result);
        });
    } else {
        tasks(&product, correction, result);
    }
}
