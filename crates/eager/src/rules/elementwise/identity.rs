//! `Identity`: `g`.

use stratal_ops::Identity;

use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients};

impl Derivative for Identity {
    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        Ok(call.gradient()?.into())
    }
}
