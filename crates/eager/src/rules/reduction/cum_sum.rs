//! `CumSum`: the running sum of the gradient, from the other end.

use stratal_ops::CumSum;

use super::cumulative::axis_of;
use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for CumSum {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::input(1)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        Ok(call.gradient()?.running_sum(axis_of(call)?, self.exclusive, !self.reverse)?.into())
    }
}
