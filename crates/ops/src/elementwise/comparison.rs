//! What all comparisons have in common.

use stratal_kernels::map::Comparison;
use stratal_tensor_base::DType;

use super::elements;
use crate::operands::broadcast;
use crate::{Cause, Context, Definition, Extent, Fact, Facts, Inputs, Outputs};

/// Implements a comparison by a kernel, and by a function of two extents that says what is known of elements of shapes:
/// `operator!(Less, |_| map::Less, is_less)`.
macro_rules! operator {
    ($operator:ty, $kernel:expr, $extents:expr) => {
        impl $crate::Operator for $operator {
            fn definition(&self) -> &'static $crate::Definition {
                &Self::DEFINITION
            }

            fn infer(&self, inputs: &$crate::Facts<'_>) -> Result<Vec<$crate::Fact>, $crate::Cause> {
                $crate::elementwise::comparison::infer(&Self::DEFINITION, inputs, $extents)
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

pub(crate) fn infer(
    definition: &Definition,
    inputs: &Facts<'_>,
    of_extents: fn(&Extent, &Extent) -> Option<bool>,
) -> Result<Vec<Fact>, Cause> {
    let dtype = inputs.dtype(0, definition.dtypes)?;
    inputs.check_dtypes(dtype)?;
    let truth = |a: &Extent, b: &Extent| of_extents(a, b).map(|truth| Ok(i64::from(truth).into()));
    let elements = elements::zip(inputs, DType::Bool, truth);
    Ok(vec![Fact::new(DType::Bool, inputs.broadcast()?).with_elements(elements)])
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
