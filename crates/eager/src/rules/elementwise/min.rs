//! `Min`: `g` for the least operand, shared equally by those that tie.

use stratal_ops::Min;

use super::extreme;
use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for Min {
    fn saves(&self, need: &Need<'_>) -> Saves {
        extreme::saves(need)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        extreme::shared(call, |x, y| x.greater(y))
    }
}
