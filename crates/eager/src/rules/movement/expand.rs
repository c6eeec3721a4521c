//! `Expand`: the gradients of all copies, added up.

use stratal_ops::Expand;

use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients};

impl Derivative for Expand {
    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        Ok(call.gradient()?.sum_to(call.shape(0))?.into())
    }
}
