//! `MatMul`: `g * b^T` and `a^T * g`, summed over what was broadcast.

use stratal_ops::MatMul;

use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::{EagerError, Var};

impl Derivative for MatMul {
    fn saves(&self, need: &Need<'_>) -> Saves {
        Saves::nothing().and_input_if(need.input(1), 0).and_input_if(need.input(0), 1)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        // Single axes count as a row and as a column, which the result lacks.
        let (is_row, is_column) = (call.shape(0).rank() == 1, call.shape(1).rank() == 1);
        let mut gradient = call.gradient()?;
        if is_column {
            gradient = gradient.unsqueeze(-1)?;
        }
        if is_row {
            gradient = gradient.unsqueeze(-2)?;
        }
        let row = |a: Var| if is_row { a.unsqueeze(0) } else { Ok(a) };
        let column = |b: Var| if is_column { b.unsqueeze(1) } else { Ok(b) };
        let a = call.wanted(0, || {
            let a = gradient.matmul(&column(call.input(1)?)?.t()?)?;
            if is_row { a.sum_to_row(call) } else { a.sum_to(call.shape(0)) }
        })?;
        let b = call.wanted(1, || {
            let b = row(call.input(0)?)?.t()?.matmul(&gradient)?;
            if is_column { b.squeeze(&[-1])?.sum_to(call.shape(1)) } else { b.sum_to(call.shape(1)) }
        })?;
        Ok([a, b].into())
    }
}

impl Var {
    /// The gradient of a left side that was a single axis: without the row's axis, summed over batches.
    fn sum_to_row(&self, call: &Call<'_>) -> Result<Self, EagerError> {
        self.squeeze(&[-2])?.sum_to(call.shape(0))
    }
}
