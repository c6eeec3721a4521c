//! `GlobalAveragePool`: each element of an image has its share of the gradient of the average.

use stratal_ops::GlobalAveragePool;

use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients};

impl Derivative for GlobalAveragePool {
    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let shape = call.shape(0);
        let elements: f64 = shape.extents()[2..].iter().map(|extent| f64::from(*extent)).product();
        Ok(call.gradient()?.div(elements)?.expand_to(shape)?.into())
    }
}
