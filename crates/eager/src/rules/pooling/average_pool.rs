//! `AveragePool`: each element of a window has its share of the gradient of the average.

use stratal_ops::AveragePool;

use super::spread::spread;
use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients};

impl Derivative for AveragePool {
    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        Ok(spread(&call.gradient()?, self, call.shape(0))?.into())
    }
}
