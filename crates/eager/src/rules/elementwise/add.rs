//! `Add`: the gradient of a sum is that of each term.

use stratal_ops::Add;

use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients};

impl Derivative for Add {
    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let gradient = call.gradient()?;
        let of = |input| call.wanted_summed(input, || Ok(gradient.clone()));
        Ok([of(0)?, of(1)?].into())
    }
}
