//! `Concat`: each part has its own part of the gradient.

use stratal_ops::Concat;

use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients};

impl Derivative for Concat {
    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let gradient = call.gradient()?;
        let along = gradient.shape().axis(self.axis)?;
        let mut start = 0;
        (0..call.input_count())
            .map(|input| {
                let length = call.shape(input).extent(along) as i64;
                let part = call.wanted(input, || gradient.narrow(self.axis, start, length))?;
                start += length;
                Ok(part)
            })
            .collect()
    }
}
