//! `ReverseSequence`: the gradient is reversed back.

use stratal_ops::ReverseSequence;

use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::{EagerError, apply};

impl Derivative for ReverseSequence {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::input(1)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        Ok(apply(self, &[Some(&call.gradient()?), Some(&call.input(1)?)])?.into())
    }
}
