//! `SpaceToDepth`: the gradient goes back by `DepthToSpace`.

use stratal_ops::{DepthToSpace, SpaceToDepth};

use crate::derivative::{Call, Derivative, Gradients};
use crate::{EagerError, apply};

impl Derivative for SpaceToDepth {
    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let Self { block, order } = *self;
        Ok(apply(&DepthToSpace { block, order }, &[Some(&call.gradient()?)])?.into())
    }
}
