//! Matrix products: packed blocks of two sides, multiplied tile by tile.
//!
//! # The story of a product
//! ```text
//!   matmul        which product it is: batches merged, sides exchanged where the result lies the other way
//!     │
//!   Grid          rectangles of the result, each for one thread; where they are cut depends on the shape alone
//!     │
//!   block         a rectangle, one block of depth after another: both sides packed into the second-level cache
//!     ├── Side    what is packed: strided matrices of any dtype, matrices packed before
//!     └── tile    a few rows times a few panels of sixteen columns, all sums in registers
//!     │
//!   epilogue      factors, bias, activation: row by row, while the rectangle is in the caches
//! ```
//! Products of bytes go the same way, four bytes to a term: see `integer`, which has zero points in place of the epilogue.
//!
//! # The order of a sum
//! Fast: terms are added by fused multiply-add in order of depth, in blocks of [`DEPTH_BLOCK`], each from +0; the sums of
//! blocks are added in order. Exact: products and sums of f64, each rounded, in order of depth, and the result rounded once.
//! Integers wrap, so their order is no matter. Nothing else changes a bit: neither tiles, rectangles, threads, batches nor
//! packing.

pub(crate) mod block;
mod direct;
mod epilogue;
mod integer;
mod narrow;
mod packed;
mod placed;
mod prepacked;
mod rectangle;
mod scratch;
mod side;
mod strided;
mod term;
mod tile;

pub use epilogue::Epilogue;
pub use integer::ZeroPoints;
pub(crate) use integer::{FittedBytes, run as run_bytes};
pub use packed::PackedMatrix;

// What convolutions are made of too.
pub(crate) use block::Product;
pub(crate) use epilogue::Finish;
pub(crate) use narrow::round_once;
pub(crate) use placed::with_bytes;
pub(crate) use rectangle::{Grid, Part, Rectangle};
pub(crate) use scratch::{Use, with as with_scratch};
pub(crate) use side::{Extract, Side};
pub(crate) use strided::{Source, Strided, pack_terms};
pub(crate) use term::{Exact, Term};

use std::array::from_fn;

use stratal_tensor_base::{DType, Geometry, MAX_RANK};

use crate::rows::{Along, Places};
use crate::simd::{Isa, LANES};
use crate::{AnyView, AnyViewMut, KernelError, Precision, Threads};

/// Terms that fast products sum before the sum is added to that of the terms before.
pub(crate) const DEPTH_BLOCK: usize = 256;

/// Multiplications from which on a product is worth more than one thread: a hundred microseconds of one or more. Waking another
/// takes some tens, so 128 x 128 x 128 took twice as long on two threads as on one. Bits do not depend on it, and builds with
/// assertions divide small problems too, so that tests see it done.
const PARALLEL: usize = if cfg!(debug_assertions) { 1 << 20 } else { 1 << 23 };

/// The right operand of a product.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Right<'a> {
    View(AnyView<'a>),
    Packed(&'a PackedMatrix),
}

/// A product whose operands were checked: leading axes are expanded to the result's, and so is the bias.
#[derive(Debug)]
pub(crate) struct Fitted<'a> {
    pub(crate) a: AnyView<'a>,
    pub(crate) b: Right<'a>,
    pub(crate) bias: Option<AnyView<'a>>,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) depth: usize,
}

/// What computes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Machine<'a> {
    pub(crate) isa: Isa,
    pub(crate) precision: Precision,
    pub(crate) threads: &'a Threads,
}

/// Multiplies the matrices in the last two axes.
pub(crate) fn run(
    machine: Machine<'_>,
    fitted: &Fitted<'_>,
    epilogue: &Epilogue<'_>,
    result: &mut AnyViewMut<'_>,
) -> Result<(), KernelError> {
    if result.shape().is_empty() {
        return Ok(());
    }
    let order = Order::of(result.geometry(), fitted);
    let row_axis = result.shape().rank() - if order == Order::Columns { 2 } else { 1 };
    let along: Along = from_fn(|axis| axis == row_axis);
    let finish = Finish::new(machine.isa, result.dtype(), epilogue, fitted.bias.as_ref(), &along);
    // What lies in neither order is computed row by row.
    let is_in_order = order != Order::Neither;
    with_bytes(machine, result, is_in_order, finish.reads_result(), |bytes| {
        multiply(machine, fitted, order, &finish, bytes);
        Ok(())
    })
}

/// How the matrices of a result lie, one behind the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// Row by row.
    Rows,
    /// Column by column: the other product, of both sides exchanged, lies row by row.
    Columns,
    /// Neither.
    Neither,
}

impl Order {
    fn of(result: &Geometry, fitted: &Fitted<'_>) -> Self {
        let is_exchangeable = matches!(fitted.b, Right::View(_));
        let is_contiguous = result.is_contiguous();
        // A single column is also a row, and a single row of a tile is quicker than a single column of a panel.
        if is_exchangeable && is_contiguous && fitted.columns == 1 {
            return Self::Columns;
        }
        if is_contiguous {
            return Self::Rows;
        }
        if is_exchangeable && result.t().is_ok_and(|exchanged| exchanged.is_contiguous()) {
            return Self::Columns;
        }
        Self::Neither
    }
}

/// Multiplies into a result that lies side by side in the order given.
fn multiply(machine: Machine<'_>, fitted: &Fitted<'_>, order: Order, finish: &Finish<'_>, result: &mut [u8]) {
    match (machine.precision, fitted.a.dtype()) {
        (_, DType::I32 | DType::U32) => multiply_as::<i32>(machine, fitted, order, finish, result),
        (_, DType::I64 | DType::U64) => multiply_as::<i64>(machine, fitted, order, finish, result),
        (Precision::Exact, _) => multiply_as::<Exact>(machine, fitted, order, finish, result),
        (Precision::Fast, DType::F64) => multiply_as::<f64>(machine, fitted, order, finish, result),
        (Precision::Fast, _) => multiply_as::<f32>(machine, fitted, order, finish, result),
    }
}

fn multiply_as<T: Term>(machine: Machine<'_>, fitted: &Fitted<'_>, order: Order, finish: &Finish<'_>, result: &mut [u8])
where
    for<'a> Strided<'a>: Side<T>,
    PackedMatrix: Side<T>,
{
    let count = result.len() / fitted.a.dtype().size();
    let matrices = count / (fitted.rows * fitted.columns);
    let (a, depth) = (Operand::new(&fitted.a, LEFT, matrices), fitted.depth);
    let mut go = |left: &dyn Side<T>, right: &dyn Side<T>, grid: Grid, is_shared: bool| {
        let product = Product { left, right, depth, depth_block: DEPTH_BLOCK };
        compute(machine, &product, grid, is_shared, finish, result);
    };
    let each = Grid::new(matrices, fitted.rows, fitted.columns);
    // One right side for all: the matrices of the left one are one below the other.
    let merged = Grid::new(1, matrices * fitted.rows, fitted.columns);
    match (fitted.b, order, &a.merged) {
        (Right::View(b), Order::Columns, _) => {
            let b = Operand::new(&b, RIGHT, matrices);
            go(&b.matrices, &a.matrices, Grid::new(matrices, fitted.columns, fitted.rows), a.is_constant);
        }
        (Right::View(b), _, Some(a)) if Operand::new(&b, RIGHT, matrices).is_constant => {
            go(a, &Operand::new(&b, RIGHT, matrices).matrices, merged, true);
        }
        (Right::View(b), ..) => {
            let b = Operand::new(&b, RIGHT, matrices);
            go(&a.matrices, &b.matrices, each, b.is_constant);
        }
        (Right::Packed(b), _, Some(a)) => go(a, b, merged, true),
        (Right::Packed(b), _, None) => go(&a.matrices, b, each, true),
    }
}

/// An operand as one side of a product.
struct Operand<'a> {
    /// Each of its matrices.
    matrices: Strided<'a>,
    /// All of them as one, with the lines one behind the other, if one distance leads through them and none comes again.
    merged: Option<Strided<'a>>,
    /// Whether they are all the same.
    is_constant: bool,
}

/// Which of the last two axes of an operand counts lines, which are its rows on the left side.
const LEFT: usize = 0;
/// On the right side, lines are columns.
const RIGHT: usize = 1;

impl<'a> Operand<'a> {
    /// `lines` says which of the last two axes counts the lines, and `count` how many matrices the result has.
    fn new(view: &AnyView<'a>, lines: usize, count: usize) -> Self {
        let (bytes, dtype, geometry) = (view.bytes(), view.dtype(), view.geometry());
        let rank = geometry.shape().rank();
        let (line_axis, depth_axis) = (rank - 2 + lines, rank - 1 - lines);
        let stride = |axis: usize| geometry.strides()[axis] as isize;
        let step = stride(depth_axis);
        let matrix: Along = from_fn(|axis| axis + 2 >= rank);
        let line: Along = from_fn(|axis| axis == depth_axis);
        let (matrices, merged) = (Places::new(geometry, &matrix), Places::new(geometry, &line));
        Self {
            matrices: Strided { bytes, dtype, matrices, line: stride(line_axis), depth: step },
            merged: merged.across().stride().filter(|_| matrices.across().count() == count).map(|line| Strided {
                bytes,
                dtype,
                matrices: Places::new(geometry, &[true; MAX_RANK]),
                line,
                depth: step,
            }),
            is_constant: matrices.across().is_constant(),
        }
    }
}

/// Computes a product whose result lies row by row.
///
/// If the right side is the same for all matrices, it is packed once for all tasks.
pub(crate) fn compute<T: Term>(
    machine: Machine<'_>,
    product: &Product<'_, T>,
    grid: Grid,
    is_shared: bool,
    finish: &Finish<'_>,
    result: &mut [u8],
) {
    let isa = machine.isa;
    let in_parallel = is_parallel(&grid, product.depth);
    if product.depth == 0 {
        return grid.for_each(machine.threads, false, result, finish.dtype().size(), |part, mut rectangle| {
            // Each sum is of nothing.
            finish.apply(&part, grid.rows, &mut rectangle, Some(&mut |_, row| row.fill(0)));
        });
    }
    if direct::is_chosen(product, grid.rows, grid.columns) {
        return tasks(machine, grid, in_parallel, finish, result, |part, terms| {
            if let Some(sides) = direct::sides(product, part.matrix) {
                direct::compute(isa, product, sides, part, terms);
            }
        });
    }
    let packing = |product: &Product<'_, T>, result: &mut [u8]| {
        tasks(machine, grid, in_parallel, finish, result, |part, terms| {
            block::compute(isa, product, part, terms, &mut ())
        });
    };
    let has_many_tasks = grid.matrices > 1 || grid.rows > grid.rows_each;
    let one = Extract { matrix: 0, depth: 0..product.depth_block.min(product.depth), lines: 0..grid.columns };
    // A few columns are filled up to a panel: where that would take a multiple of the side itself, each task packs its own.
    let is_wide = grid.columns > LANES / 4;
    if is_shared && has_many_tasks && is_wide && product.right.ready(&one).is_none() {
        prepacked::with(isa, machine.threads, product, grid.columns, |right| {
            packing(&Product { right, ..*product }, result);
        });
    } else {
        packing(product, result);
    }
}

/// Whether a product is worth more than one thread.
pub(crate) const fn is_parallel(grid: &Grid, depth: usize) -> bool {
    let results = grid.matrices.saturating_mul(grid.rows).saturating_mul(grid.columns);
    results.saturating_mul(depth) >= PARALLEL
}

/// Computes the sums of each part of a result, and finishes them.
pub(crate) fn tasks<T: Term>(
    machine: Machine<'_>,
    grid: Grid,
    in_parallel: bool,
    finish: &Finish<'_>,
    result: &mut [u8],
    sum: impl Fn(&Part, &mut Rectangle<'_, T>) + Sync,
) {
    let dtype = finish.dtype();
    // Terms of the result's own kind are summed in its place, unless that is still read.
    let is_in_place = T::is(dtype) && !finish.reads_result();
    grid.for_each(machine.threads, in_parallel, result, dtype.size(), |part, mut rectangle| {
        if is_in_place && let Some(mut terms) = rectangle.elements::<T>() {
            sum(&part, &mut terms);
            return finish.apply(&part, grid.rows, &mut rectangle, None);
        }
        let columns = part.columns.len();
        scratch::with::<T, _>(Use::Sums, part.rows.len() * columns, |room| {
            sum(&part, &mut Rectangle::new(room, columns));
            let mut row = |row: usize, to: &mut [u8]| {
                T::narrow(machine.isa, dtype, &room[row * columns..][..columns], to);
            };
            finish.apply(&part, grid.rows, &mut rectangle, Some(&mut row));
        });
    });
}
