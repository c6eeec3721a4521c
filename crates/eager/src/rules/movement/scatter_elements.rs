//! `ScatterElements`: see [what scatters have in common](super::updates).

use stratal_kernels::movement::ScatterReduction;
use stratal_ops::ScatterElements;

use super::updates::{self, Updates};
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::{EagerError, Var};

impl Updates for ScatterElements {
    fn reduction(&self) -> ScatterReduction {
        self.reduction
    }

    fn gathered(&self, x: &Var, indices: &Var) -> Result<Var, EagerError> {
        x.gather_elements(self.axis, indices)
    }
}

impl Derivative for ScatterElements {
    fn saves(&self, need: &Need<'_>) -> Saves {
        updates::saves(self, need)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        updates::backward(self, call)
    }
}
