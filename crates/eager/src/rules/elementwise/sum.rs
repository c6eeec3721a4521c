//! `Sum`: `g` for each operand.

use stratal_ops::Sum;

use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients};

impl Derivative for Sum {
    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let gradient = call.gradient()?;
        (0..call.input_count()).map(|input| call.wanted_summed(input, || Ok(gradient.clone()))).collect()
    }
}
