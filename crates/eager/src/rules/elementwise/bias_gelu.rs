//! `com.microsoft.BiasGelu`: that of [`Gelu`](stratal_ops::Gelu) at the sum, for both of its terms.

use stratal_ops::BiasGelu;

use super::gelu::GeluSlope;
use super::of_sum::by_slope_of_sum;
use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for BiasGelu {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::inputs([0, 1])
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        by_slope_of_sum(GeluSlope, call)
    }
}
