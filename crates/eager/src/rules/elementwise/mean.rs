//! `Mean`: `g` over the number of operands, for each of them.

use stratal_ops::Mean;

use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients};

impl Derivative for Mean {
    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let share = call.gradient()?.div(call.input_count() as f64)?;
        (0..call.input_count()).map(|input| call.wanted_summed(input, || Ok(share.clone()))).collect()
    }
}
