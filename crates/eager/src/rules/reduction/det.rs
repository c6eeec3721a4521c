//! `Det`: `g` times the cofactor of each element, which is there for singular matrices too.
//!
//! Cofactors are determinants themselves, so that gradients of any order follow. For a matrix of `n` rows there are `n^2` of them,
//! at a cost of `n^5`: this is for small ones.

use stratal_ops::{Det, Gather};
use stratal_tensor::Tensor;

use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::{EagerError, Var, apply};

impl Derivative for Det {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::input(0)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let shape = call.shape(0);
        if shape.count() == 0 {
            return Ok(call.zeros_like(0)?.into());
        }
        let order = shape.extent(shape.rank() - 1) as i64;
        let matrices = call.input(0)?.reshape(&[-1, order, order])?;
        let cofactors = cofactors(&matrices, order)?.reshape_to(shape)?;
        Ok(call.gradient()?.unsqueeze(-1)?.unsqueeze(-1)?.mul(&cofactors)?.into())
    }
}

/// The cofactors of matrices, `[count, order, order]`.
fn cofactors(matrices: &Var, order: i64) -> Result<Var, EagerError> {
    // In row `i`: all indices but `i`.
    let others: Vec<i64> = (0..order).flat_map(|left_out| (0..order).filter(move |&index| index != left_out)).collect();
    let others = Var::from_slice(&others, &[order, order - 1])?;
    let gather = |var: &Var, axis| apply(&Gather { axis }, &[Some(var), Some(&others)]);
    // As [count, row, rows without it, column, columns without it].
    let minors = gather(&gather(matrices, 1)?, 3)?.permute(&[0, 1, 3, 2, 4])?;
    let sign = |at: i64| if (at / order + at % order) % 2 == 0 { 1.0 } else { -1.0 };
    let signs: Vec<f64> = (0..order * order).map(sign).collect();
    let signs = Var::from(Tensor::from_vec(signs, &[order, order])?.cast(matrices.dtype())?);
    apply(&Det, &[Some(&minors)])?.mul(&signs)
}
