//! `Flatten`: the gradient in the operand's shape.

use stratal_ops::Flatten;

use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients};

impl Derivative for Flatten {
    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        Ok(call.gradient()?.reshape_to(call.shape(0))?.into())
    }
}
