//! `Sub`: `g` and `-g`.

use stratal_ops::Sub;

use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients};

impl Derivative for Sub {
    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let gradient = call.gradient()?;
        let a = call.wanted_summed(0, || Ok(gradient.clone()))?;
        let b = call.wanted_summed(1, || gradient.neg())?;
        Ok([a, b].into())
    }
}
