//! `Reciprocal`: `-g * y^2`.

use stratal_ops::Reciprocal;

use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for Reciprocal {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::output(0)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        Ok(call.gradient()?.neg()?.mul(&call.output(0)?.square()?)?.into())
    }
}
