//! `Clip`: `g` within the limits, and at them; that of a limit is the sum where it took the place of elements.

use stratal_ops::Clip;

use super::band::Band;
use super::unary::by_slope;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::{EagerError, Var};

impl Derivative for Clip {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::inputs([0, 1, 2])
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let (gradient, x) = (call.gradient()?, call.input(0)?);
        // A limit that is NaN cuts nothing, like one that is left out.
        let limit = |input| if call.is_given(input) { call.input(input)?.item() } else { Ok(f64::NAN) };
        let (low, high) = (limit(1)?, limit(2)?);
        let of_x = call.wanted(0, || by_slope(Band { low, high, is_closed: true }, call, &x))?;
        let zero = gradient.number(0.0)?;
        let summed = |input, gradient: Var| gradient.sum(&[], false)?.reshape_to(call.shape(input));
        // Where the lower limit is above the upper one, all is cut to the upper one.
        let is_crossed = low > high;
        let of_low = call.wanted(1, || {
            if is_crossed { call.zeros_like(1) } else { summed(1, x.less(low)?.select_by(&gradient, &zero)?) }
        })?;
        let of_high = call.wanted(2, || {
            // What is equal to itself is all but NaN.
            let is_cut = if is_crossed { x.equal(&x)? } else { x.greater(high)? };
            summed(2, is_cut.select_by(&gradient, &zero)?)
        })?;
        Ok([of_x, of_low, of_high].into())
    }
}
