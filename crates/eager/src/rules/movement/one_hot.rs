//! `OneHot`: each of the two values has the gradients of all elements that it is in. Indices and depth have none.

use stratal_ops::OneHot;
use stratal_tensor::Tensor;
use stratal_tensor_base::DType;

use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::{EagerError, Var, apply};

impl Derivative for OneHot {
    fn saves(&self, need: &Need<'_>) -> Saves {
        if need.input(2) { Saves::inputs([0, 1]) } else { Saves::nothing() }
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let constant = |input| call.wanted(input, || call.zeros_like(input));
        let values = call.wanted(2, || {
            let marks = Var::constant(Tensor::from_slice(&[0_u8, 1], &[2])?);
            let marks = apply(self, &[Some(&call.input(0)?), Some(&call.input(1)?), Some(&marks)])?;
            let (is_marked, gradient) = (marks.cast(DType::Bool)?, call.gradient()?);
            let zero = gradient.number(0.0)?;
            let unmarked = is_marked.select_by(&zero, &gradient)?.sum(&[], false)?;
            let marked = is_marked.select_by(&gradient, &zero)?.sum(&[], false)?;
            Var::stack(&[&unmarked, &marked], 0)
        })?;
        Ok([constant(0)?, constant(1)?, values].into())
    }
}
