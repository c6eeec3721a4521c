//! The gradients of the two sides of a product of matrices, which broadcast.

use stratal_ops::{FusedMatMul, Turn};
use stratal_tensor_base::Shape;

use crate::views::extents;
use crate::{EagerError, Var, apply};

/// The gradient of the left side `a`, of a shape: `g * b^T`.
pub(super) fn left_gradient(gradient: &Var, a: &Shape, b: &Var, alpha: f32) -> Result<Var, EagerError> {
    let gradient = with_matrix(gradient, a.rank() == 1, b.rank() == 1)?;
    let b = if b.rank() == 1 { b.unsqueeze(1)? } else { b.clone() };
    if b.rank() == 2 && a.rank() > 2 {
        // One matrix for the whole batch: the batch is as good as rows.
        return product(&rows(&gradient)?, &b.t()?, alpha)?.reshape_to(a);
    }
    let product = product(&gradient, &b.t()?, alpha)?;
    if a.rank() == 1 { product.squeeze(&[-2])?.sum_to(a) } else { product.sum_to(a) }
}

/// The gradient of the right side `b`, of a shape: `a^T * g`.
pub(super) fn right_gradient(gradient: &Var, a: &Var, b: &Shape, alpha: f32) -> Result<Var, EagerError> {
    let gradient = with_matrix(gradient, a.rank() == 1, b.rank() == 1)?;
    let a = if a.rank() == 1 { a.unsqueeze(0)? } else { a.clone() };
    if b.rank() <= 2 && a.rank() > 2 {
        // The sum over the batch is part of that over rows.
        return product(&rows(&a)?.t()?, &rows(&gradient)?, alpha)?.reshape_to(b);
    }
    let product = product(&a.t()?, &gradient, alpha)?;
    if b.rank() == 1 { product.squeeze(&[-1])?.sum_to(b) } else { product.sum_to(b) }
}

/// A product times a factor, in one go.
fn product(a: &Var, b: &Var, alpha: f32) -> Result<Var, EagerError> {
    if alpha == 1.0 {
        return a.matmul(b);
    }
    apply(&FusedMatMul { alpha, a: Turn::default(), b: Turn::default() }, &[Some(a), Some(b)])
}

/// The gradient of a product with the axes of a matrix, whichever of its sides are single axes.
fn with_matrix(gradient: &Var, is_row: bool, is_column: bool) -> Result<Var, EagerError> {
    let gradient = if is_column { gradient.unsqueeze(-1)? } else { gradient.clone() };
    if is_row { gradient.unsqueeze(-2) } else { Ok(gradient) }
}

/// All rows of a batch of matrices.
fn rows(batch: &Var) -> Result<Var, EagerError> {
    let extents = extents(batch.shape());
    let (columns, others) = extents.split_last().map_or((1, &[][..]), |(columns, others)| (*columns, others));
    batch.reshape(&[others.iter().product(), columns])
}
