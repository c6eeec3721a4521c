//! `CastLike`: elements of the dtype that another operand has.

use stratal_kernels::AnyViewMut;

use super::binary;
use super::cast::{cast_fact, check_modes, keep};
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, Operator, Outputs, dtypes};

/// The elements of the first operand as ones of the dtype of the second one, as [`Cast`](crate::Cast) does.
#[derive(Debug, Clone, Copy, Default)]
pub struct CastLike;

impl CastLike {
    /// What is known of it.
    pub const DEFINITION: Definition =
        binary::definition("CastLike", 25, dtypes::ALL, &["round_mode", "saturate"], |node| {
            check_modes(node)?;
            Ok(Box::new(Self))
        });
}

impl Operator for CastLike {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn in_place_inputs(&self) -> &'static [usize] {
        &[0]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        Ok(vec![cast_fact(inputs.required(0)?, inputs.required(1)?.dtype)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        outputs.write(0, |result| context.kernels().cast(x, result))
    }

    fn compute_in_place(
        &self,
        _context: &Context<'_>,
        _input: usize,
        x: &mut AnyViewMut<'_>,
        inputs: &Inputs<'_>,
    ) -> Result<(), Cause> {
        keep(x, inputs.required(1)?.dtype())
    }
}
