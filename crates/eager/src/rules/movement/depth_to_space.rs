//! `DepthToSpace`: the gradient goes back by `SpaceToDepth`.

use stratal_ops::{DepthToSpace, SpaceToDepth};

use crate::derivative::{Call, Derivative, Gradients};
use crate::{EagerError, apply};

impl Derivative for DepthToSpace {
    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let Self { block, order } = *self;
        Ok(apply(&SpaceToDepth { block, order }, &[Some(&call.gradient()?)])?.into())
    }
}
