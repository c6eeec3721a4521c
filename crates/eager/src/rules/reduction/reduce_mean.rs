//! `ReduceMean`: each term has its share of the gradient of the mean.

use stratal_ops::ReduceMean;

use super::kept::{kept_shape, spread};
use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for ReduceMean {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::input(1)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let kept = kept_shape(call, self.noop_with_empty_axes)?;
        // No elements, no gradients: what they would be divided by does not matter.
        let count = call.shape(0).count() / kept.count().max(1);
        Ok(spread(&call.gradient()?.div(count as f64)?, &kept, call)?.into())
    }
}
