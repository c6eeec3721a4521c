//! `Neg`: `-g`.

use stratal_ops::Neg;

use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients};

impl Derivative for Neg {
    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        Ok(call.gradient()?.neg()?.into())
    }
}
