//! `Identity`: the same elements.

use stratal_kernels::AnyViewMut;

use super::unary;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, Operator, Outputs, dtypes};

/// The same elements, bit by bit.
#[derive(Debug, Clone, Copy, Default)]
pub struct Identity;

impl Identity {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("Identity", 25, dtypes::ALL, &[], |_| Ok(Box::new(Self)));
}

impl Operator for Identity {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn in_place_inputs(&self) -> &'static [usize] {
        &[0]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        Ok(vec![inputs.required(0)?.clone()])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        outputs.write(0, |result| context.kernels().copy(x, result))
    }

    fn compute_in_place(
        &self,
        _context: &Context<'_>,
        _input: usize,
        _x: &mut AnyViewMut<'_>,
        _inputs: &Inputs<'_>,
    ) -> Result<(), Cause> {
        Ok(())
    }
}
