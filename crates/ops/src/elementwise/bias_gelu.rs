//! `com.microsoft.BiasGelu`: the Gaussian error linear unit of a sum.

use stratal_kernels::AnyViewMut;
use stratal_kernels::map::{self, Formula};

use super::binary;
use super::of_sum::OfSum;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, MICROSOFT, Operator, Outputs, dtypes};

/// The [`Gelu`](crate::Gelu), by the error function, of the sum of an operand and a bias that broadcasts to it.
#[derive(Debug, Clone, Copy, Default)]
pub struct BiasGelu;

impl BiasGelu {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: MICROSOFT,
        ..binary::definition("BiasGelu", 1, dtypes::FLOATS, &[], |_| Ok(Box::new(Self)))
    };
}

const KERNEL: Formula<OfSum<map::Gelu>> = Formula(OfSum(map::Gelu));

impl Operator for BiasGelu {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn in_place_inputs(&self) -> &'static [usize] {
        &[0]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::FLOATS)?;
        inputs.check_dtypes(dtype)?;
        Ok(vec![Fact::new(dtype, binary::first_shape(inputs)?)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        binary::compute(&KERNEL, context, inputs, outputs)
    }

    fn compute_in_place(
        &self,
        context: &Context<'_>,
        input: usize,
        x: &mut AnyViewMut<'_>,
        inputs: &Inputs<'_>,
    ) -> Result<(), Cause> {
        binary::compute_in_place(&KERNEL, context, input, x, inputs)
    }
}
