//! `Scatter`: see [what scatters have in common](super::updates).

use stratal_kernels::movement::ScatterReduction;
use stratal_ops::Scatter;

use super::updates::{self, Updates};
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::{EagerError, Var};

impl Updates for Scatter {
    fn reduction(&self) -> ScatterReduction {
        ScatterReduction::None
    }

    fn gathered(&self, x: &Var, indices: &Var) -> Result<Var, EagerError> {
        x.gather_elements(self.axis, indices)
    }
}

impl Derivative for Scatter {
    fn saves(&self, need: &Need<'_>) -> Saves {
        updates::saves(self, need)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        updates::backward(self, call)
    }
}
