//! What all comparisons have in common.

use stratal_kernels::map::Comparison;
use stratal_tensor_base::DType;

use super::binary::{self, broadcast};
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, Outputs};

/// Implements a comparison by a kernel: `operator!(Less, |_| map::Less)`.
macro_rules! operator {
    ($operator:ty, $kernel:expr) => {
        impl $crate::Operator for $operator {
            fn definition(&self) -> &'static $crate::Definition {
                &Self::DEFINITION
            }

            fn infer(&self, inputs: &$crate::Facts<'_>) -> Result<Vec<$crate::Fact>, $crate::Cause> {
                $crate::elementwise::comparison::infer(&Self::DEFINITION, inputs)
            }

            fn compute(
                &self,
                context: &$crate::Context<'_>,
                inputs: &$crate::Inputs<'_>,
                outputs: &mut $crate::Outputs<'_>,
            ) -> Result<(), $crate::Cause> {
                let kernel: fn(&Self) -> _ = $kernel;
                $crate::elementwise::comparison::compute(&kernel(self), context, inputs, outputs)
            }
        }
    };
}
pub(crate) use operator;

pub(crate) fn infer(definition: &Definition, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
    let facts = binary::infer(definition, inputs, |_, _| None)?;
    Ok(facts.into_iter().map(|fact| Fact { dtype: DType::Bool, ..fact }).collect())
}

pub(crate) fn compute(
    kernel: &dyn Comparison,
    context: &Context<'_>,
    inputs: &Inputs<'_>,
    outputs: &mut Outputs<'_>,
) -> Result<(), Cause> {
    let (a, b) = (inputs.required(0)?, inputs.required(1)?);
    outputs.write(0, |result| {
        let (a, b) = (broadcast(a, result.shape())?, broadcast(b, result.shape())?);
        Ok::<_, Cause>(context.kernels().compare(kernel, &a, &b, result)?)
    })
}
