//! What operators of any number of operands that broadcast have in common.

use stratal_kernels::map::Binary;
use stratal_kernels::{AnyView, AnyViewMut};
use stratal_tensor_base::DType;

use crate::operands::broadcast;
use crate::{ANY_NUMBER, Cause, Context, Definition, Fact, Facts, ONNX, Operator};

/// The definition of an operator of any number of operands.
pub(crate) const fn definition(
    name: &'static str,
    since: u32,
    dtypes: &'static [DType],
    build: fn(&crate::Node<'_>) -> Result<Box<dyn Operator>, Cause>,
) -> Definition {
    Definition { domain: ONNX, name, since, inputs: 1..=ANY_NUMBER, outputs: 1..=1, attributes: &[], dtypes, build }
}

/// The rule: one dtype, and all shapes broadcast.
pub(crate) fn infer(definition: &Definition, inputs: &Facts<'_>) -> Result<Fact, Cause> {
    let dtype = inputs.dtype(0, definition.dtypes)?;
    inputs.check_dtypes(dtype)?;
    Ok(Fact::new(dtype, inputs.broadcast()?))
}

/// Combines operands from the first to the last, into a result.
pub(crate) fn fold(
    context: &Context<'_>,
    kernel: &dyn Binary,
    operands: &[&AnyView<'_>],
    result: &mut AnyViewMut<'_>,
) -> Result<(), Cause> {
    let shape = *result.shape();
    match operands {
        [] => Ok(()),
        [only] => Ok(context.kernels().copy(&broadcast(only, &shape)?, result)?),
        [first, second, rest @ ..] => {
            context.kernels().binary(kernel, &broadcast(first, &shape)?, &broadcast(second, &shape)?, result)?;
            fold_in_place(context, kernel, rest, result)
        }
    }
}

/// Combines what there is with operands from the first to the last.
pub(crate) fn fold_in_place(
    context: &Context<'_>,
    kernel: &dyn Binary,
    operands: &[&AnyView<'_>],
    result: &mut AnyViewMut<'_>,
) -> Result<(), Cause> {
    let shape = *result.shape();
    operands
        .iter()
        .try_for_each(|operand| Ok(context.kernels().binary_in_place(kernel, result, &broadcast(operand, &shape)?)?))
}

/// Implements an operator of any number of operands that loses nothing by rounding: `operator!(Max, map::Max, ...)` with a
/// function of two extents for elements of shapes.
macro_rules! operator {
    ($operator:ty, $kernel:expr, $extents:expr) => {
        impl $crate::Operator for $operator {
            fn definition(&self) -> &'static $crate::Definition {
                &Self::DEFINITION
            }

            fn in_place_inputs(&self) -> &'static [usize] {
                &[0]
            }

            fn infer(&self, inputs: &$crate::Facts<'_>) -> Result<Vec<$crate::Fact>, $crate::Cause> {
                let fact = $crate::elementwise::variadic::infer(&Self::DEFINITION, inputs)?;
                let elements = match inputs.len() {
                    2 => $crate::elementwise::elements::zip(inputs, fact.dtype, $extents),
                    _ => None,
                };
                Ok(vec![fact.with_elements(elements)])
            }

            fn compute(
                &self,
                context: &$crate::Context<'_>,
                inputs: &$crate::Inputs<'_>,
                outputs: &mut $crate::Outputs<'_>,
            ) -> Result<(), $crate::Cause> {
                let operands: Vec<_> = inputs.present().collect();
                outputs.write(0, |result| $crate::elementwise::variadic::fold(context, &$kernel, &operands, result))
            }

            fn compute_in_place(
                &self,
                context: &$crate::Context<'_>,
                _input: usize,
                x: &mut stratal_kernels::AnyViewMut<'_>,
                inputs: &$crate::Inputs<'_>,
            ) -> Result<(), $crate::Cause> {
                let others: Vec<_> = inputs.present().collect();
                $crate::elementwise::variadic::fold_in_place(context, &$kernel, &others, x)
            }
        }
    };
}
pub(crate) use operator;
