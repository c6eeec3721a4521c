//! `PRelu`: `g * slope` where `x` is negative, else `g`; and `g * x` where it is negative, for the slope.

use stratal_ops::PRelu;

use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for PRelu {
    fn saves(&self, need: &Need<'_>) -> Saves {
        Saves::input(0).and_input_if(need.input(0), 1)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let (gradient, x) = (call.gradient()?, call.input(0)?);
        let (zero, one) = (x.number(0.0)?, x.number(1.0)?);
        let is_negative = x.less(0.0)?;
        let of_x = call.wanted(0, || gradient.mul(&is_negative.select_by(&call.input(1)?, &one)?))?;
        // Both factors are 0 where `x` is not negative, so that zero never meets infinity.
        let of_slope =
            call.wanted_summed(1, || is_negative.select_by(&gradient, &zero)?.mul(&is_negative.select_by(&x, &zero)?))?;
        Ok([of_x, of_slope].into())
    }
}
