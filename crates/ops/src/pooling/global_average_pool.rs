//! `GlobalAveragePool`: the average of each image.

use stratal_kernels::reduce;

use super::global;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, Operator, Outputs};

/// The average of each image, whatever the number of its axes. An image without elements has NaN.
#[derive(Debug, Clone, Copy, Default)]
pub struct GlobalAveragePool;

impl GlobalAveragePool {
    /// What is known of it.
    pub const DEFINITION: Definition = global::definition("GlobalAveragePool", &[], |_| Ok(Box::new(Self)));
}

impl Operator for GlobalAveragePool {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        global::infer(inputs)
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        global::compute(&reduce::Mean, context, inputs, outputs)
    }
}
