//! `Gemm`: `alpha * g * B^T` and `alpha * A^T * g`, transposed where the sides were, and `beta * g` summed over what was broadcast.

use stratal_ops::Gemm;

use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::{EagerError, Var, apply};

impl Derivative for Gemm {
    fn saves(&self, need: &Need<'_>) -> Saves {
        Saves::nothing().and_input_if(need.input(1), 0).and_input_if(need.input(0), 1)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let Self { transpose_a, transpose_b, .. } = *self;
        let gradient = call.gradient()?;
        let product = |[transpose_a, transpose_b]: [bool; 2], a: &Var, b: &Var| {
            apply(&Self { alpha: self.alpha, beta: 1.0, transpose_a, transpose_b }, &[Some(a), Some(b)])
        };
        let a = call.wanted(0, || {
            let b = call.input(1)?;
            if transpose_a {
                product([transpose_b, true], &b, &gradient)
            } else {
                product([false, !transpose_b], &gradient, &b)
            }
        })?;
        let b = call.wanted(1, || {
            let a = call.input(0)?;
            if transpose_b {
                product([true, transpose_a], &gradient, &a)
            } else {
                product([!transpose_a, false], &a, &gradient)
            }
        })?;
        let c = call.wanted(2, || match self.beta {
            // It was not read.
            0.0 => call.zeros_like(2),
            1.0 => gradient.sum_to(call.shape(2)),
            beta => gradient.sum_to(call.shape(2))?.mul(f64::from(beta)),
        })?;
        Ok([a, b, c].into())
    }
}
