//! `Max`: `g` for the greatest operand, shared equally by those that tie.

use stratal_ops::Max;

use super::extreme;
use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for Max {
    fn saves(&self, need: &Need<'_>) -> Saves {
        extreme::saves(need)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        extreme::shared(call, |x, y| x.less(y))
    }
}
