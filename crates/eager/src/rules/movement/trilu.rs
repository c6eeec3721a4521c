//! `Trilu`: the same triangle of the gradient.

use stratal_ops::Trilu;

use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::{EagerError, apply};

impl Derivative for Trilu {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::input(1)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let diagonal = call.is_given(1).then(|| call.input(1)).transpose()?;
        Ok(apply(self, &[Some(&call.gradient()?), diagonal.as_ref()])?.into())
    }
}
