//! `ConvTranspose`: the convolution of the gradient, by the weights; what its windows see there times the images; and its sum.

use std::sync::Arc;

use stratal_ops::ConvTranspose;

use super::correlation::{Correlation, bias_gradient, saved_factors};
use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for ConvTranspose {
    fn saves(&self, need: &Need<'_>) -> Saves {
        saved_factors(need)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let (images, weights) = (*call.shape(0), *call.shape(1));
        let (convolution, reached) = self.on(&images, &weights)?.input_gradient(&images, &weights)?;
        let gradient = call.gradient()?;
        let bias = call.wanted(2, || bias_gradient(&gradient))?;
        // Behind what is reached lies output padding, to which nothing was spread.
        let mut seen = gradient;
        for (axis, &reached) in (2..).zip(&reached) {
            if seen.shape().extent(axis) as i64 > reached {
                seen = seen.narrow(axis as i64, 0, reached)?;
            }
        }
        let correlation = Arc::new(Correlation { convolution, images: *seen.shape(), weights });
        let x = call.wanted(0, || correlation.result(&seen, &call.input(1)?))?;
        let w = call.wanted(1, || correlation.weights(&seen, &call.input(0)?))?;
        Ok([x, w, bias].into())
    }
}
