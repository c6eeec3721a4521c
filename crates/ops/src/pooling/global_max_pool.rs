//! `GlobalMaxPool`: the maximum of each image.

use stratal_kernels::reduce;

use super::global;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, Operator, Outputs};

/// The maximum of each image, whatever the number of its axes. NaN wins, and an image without elements has negative infinity.
#[derive(Debug, Clone, Copy, Default)]
pub struct GlobalMaxPool;

impl GlobalMaxPool {
    /// What is known of it.
    pub const DEFINITION: Definition = global::definition("GlobalMaxPool", &[], |_| Ok(Box::new(Self)));
}

impl Operator for GlobalMaxPool {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        global::infer(inputs)
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        global::compute(&reduce::Max, context, inputs, outputs)
    }
}
