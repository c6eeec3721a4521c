//! `Mod`: `g`; and `-g` times the quotient as it was rounded, for the divisor.

use stratal_ops::{Mod, Round};

use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::{EagerError, apply};

impl Derivative for Mod {
    fn saves(&self, need: &Need<'_>) -> Saves {
        if need.input(1) { Saves::inputs([0, 1]).and_output(0) } else { Saves::nothing() }
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let gradient = call.gradient()?;
        let dividend = call.wanted_summed(0, || Ok(gradient.clone()))?;
        let divisor = call.wanted_summed(1, || {
            // An integer but for the rounding of the result, however quotients were rounded.
            let quotient = call.input(0)?.sub(&call.output(0)?)?.div(&call.input(1)?)?;
            gradient.neg()?.mul(&apply(&Round, &[Some(&quotient)])?)
        })?;
        Ok([dividend, divisor].into())
    }
}
