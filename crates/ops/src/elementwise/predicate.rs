//! What questions about floats have in common.

use stratal_kernels::map::Predicate;
use stratal_tensor_base::DType;

use crate::{Cause, Context, Fact, Facts, Inputs, Outputs, dtypes};

/// Implements a question about floats by a kernel: `operator!(IsNan, |_| map::IsNan)`.
macro_rules! operator {
    ($operator:ty, $kernel:expr) => {
        impl $crate::Operator for $operator {
            fn definition(&self) -> &'static $crate::Definition {
                &Self::DEFINITION
            }

            fn infer(&self, inputs: &$crate::Facts<'_>) -> Result<Vec<$crate::Fact>, $crate::Cause> {
                $crate::elementwise::predicate::infer(inputs)
            }

            fn compute(
                &self,
                context: &$crate::Context<'_>,
                inputs: &$crate::Inputs<'_>,
                outputs: &mut $crate::Outputs<'_>,
            ) -> Result<(), $crate::Cause> {
                let kernel: fn(&Self) -> _ = $kernel;
                $crate::elementwise::predicate::compute(&kernel(self), context, inputs, outputs)
            }
        }
    };
}
pub(crate) use operator;

pub(crate) fn infer(inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
    inputs.dtype(0, dtypes::FLOATS)?;
    Ok(vec![Fact { dtype: DType::Bool, shape: inputs.required(0)?.shape.clone(), elements: None }])
}

pub(crate) fn compute(
    kernel: &dyn Predicate,
    context: &Context<'_>,
    inputs: &Inputs<'_>,
    outputs: &mut Outputs<'_>,
) -> Result<(), Cause> {
    let x = inputs.required(0)?;
    outputs.write(0, |result| context.kernels().test(kernel, x, result))
}
