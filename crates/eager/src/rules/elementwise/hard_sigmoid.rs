//! `HardSigmoid`: `alpha * g` where `y` is between 0 and 1, else 0.

use stratal_ops::HardSigmoid;

use super::band::Band;
use super::unary::by_slope;
use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for HardSigmoid {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::output(0)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let band = Band { low: 0.0, high: 1.0, is_closed: false };
        Ok(by_slope(band, call, &call.output(0)?)?.mul(f64::from(self.alpha))?.into())
    }
}
