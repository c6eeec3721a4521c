//! `Where`: the gradient goes to the operand that was chosen.

use stratal_ops::Where;

use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for Where {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::input(0)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let (gradient, condition) = (call.gradient()?, call.input(0)?);
        let zero = gradient.number(0.0)?;
        let if_true = call.wanted_summed(1, || condition.select_by(&gradient, &zero))?;
        let if_false = call.wanted_summed(2, || condition.select_by(&zero, &gradient))?;
        Ok([None, if_true, if_false].into())
    }
}
