//! `CastLike`: the gradient in the dtype of the operand. The other operand gives its dtype alone.

use stratal_ops::CastLike;

use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients};

impl Derivative for CastLike {
    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let x = call.wanted(0, || call.gradient()?.cast(call.dtype(0)))?;
        let like = call.wanted(1, || call.zeros_like(1))?;
        Ok([x, like].into())
    }
}
