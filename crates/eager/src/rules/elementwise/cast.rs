//! `Cast`: the gradient in the dtype of the operand.

use stratal_ops::Cast;

use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients};

impl Derivative for Cast {
    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        Ok(call.gradient()?.cast(call.dtype(0))?.into())
    }
}
