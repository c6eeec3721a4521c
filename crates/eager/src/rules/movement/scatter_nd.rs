//! `ScatterND`: see [what scatters have in common](super::updates).

use stratal_kernels::movement::ScatterReduction;
use stratal_ops::{GatherND, ScatterND};

use super::updates::{self, Updates};
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::{EagerError, Var, apply};

impl Updates for ScatterND {
    fn reduction(&self) -> ScatterReduction {
        self.reduction
    }

    fn gathered(&self, x: &Var, indices: &Var) -> Result<Var, EagerError> {
        apply(&GatherND { batch_axes: 0 }, &[Some(x), Some(indices)])
    }
}

impl Derivative for ScatterND {
    fn saves(&self, need: &Need<'_>) -> Saves {
        updates::saves(self, need)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        updates::backward(self, call)
    }
}
