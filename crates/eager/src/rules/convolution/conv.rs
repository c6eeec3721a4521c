//! `Conv`: the gradient of a result spread over what its windows saw, by the weights; what windows saw times it; and its sum.

use std::sync::Arc;

use stratal_ops::Conv;

use super::correlation::{Correlation, bias_gradient, saved_factors};
use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for Conv {
    fn saves(&self, need: &Need<'_>) -> Saves {
        saved_factors(need)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let (images, weights) = (*call.shape(0), *call.shape(1));
        let convolution = self.filter.on(&images, &weights)?;
        let correlation = Arc::new(Correlation { convolution, images, weights });
        let gradient = call.gradient()?;
        let x = call.wanted(0, || correlation.images(&gradient, &call.input(1)?))?;
        let w = call.wanted(1, || correlation.weights(&call.input(0)?, &gradient))?;
        let bias = call.wanted(2, || bias_gradient(&gradient))?;
        Ok([x, w, bias].into())
    }
}
