//! `GlobalLpPool`: `g * sign(x) * (|x| / y)^(p - 1)`; zero where the norm is.

use stratal_ops::GlobalLpPool;

use super::norm::{odd_power, without_zeros};
use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for GlobalLpPool {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::input(0).and_output(0)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let share = call.input(0)?.div(&without_zeros(&call.output(0)?)?)?;
        Ok(call.gradient()?.mul(&odd_power(&share, self.power)?)?.into())
    }
}
