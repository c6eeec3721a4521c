//! `Range`: the sum of `g` for the start, of `g` by position for the step, and 0 for the limit.

use stratal_ops::Range;
use stratal_tensor_base::DType;

use crate::derivative::{Call, Derivative, Gradients};
use crate::var::number;
use crate::{EagerError, Var, apply};

impl Derivative for Range {
    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let gradient = call.gradient()?;
        let summed = |input, gradient: &Var| gradient.sum(&[], false)?.reshape_to(call.shape(input));
        let start = call.wanted(0, || summed(0, &gradient))?;
        let limit = call.wanted(1, || call.zeros_like(1))?;
        let step = call.wanted(2, || summed(2, &gradient.mul(&positions(&gradient)?)?))?;
        Ok([start, limit, step].into())
    }
}

/// 0, 1, 2 and so on, as many as there are elements.
fn positions(gradient: &Var) -> Result<Var, EagerError> {
    let bound = |value| number(DType::F64, value);
    let count = gradient.tensor().count() as f64;
    apply(&Range, &[Some(&bound(0.0)?), Some(&bound(count)?), Some(&bound(1.0)?)])?.cast(gradient.dtype())
}
