//! What all operators of one operand, element by element, have in common.

use stratal_kernels::AnyViewMut;
use stratal_kernels::map::Unary;
use stratal_tensor_base::DType;

use super::elements::{self, OfOne};
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, Node, ONNX, Operator, Outputs};

/// Implements an operator of one operand by a kernel: `operator!(Abs, |_| map::Abs)`, or by one of several:
/// `operator!(Gelu, dyn |gelu| ...)`. With a third argument, a function of an extent, the rule computes elements of shapes
/// too.
macro_rules! operator {
    (@implement $operator:ty, $kind:ty, ($($borrow:tt)?), $kernel:expr, $extents:expr) => {
        impl $crate::Operator for $operator {
            fn definition(&self) -> &'static $crate::Definition {
                &Self::DEFINITION
            }

            fn in_place_inputs(&self) -> &'static [usize] {
                &[0]
            }

            fn infer(&self, inputs: &$crate::Facts<'_>) -> Result<Vec<$crate::Fact>, $crate::Cause> {
                $crate::elementwise::unary::infer(&Self::DEFINITION, inputs, $extents)
            }

            fn compute(
                &self,
                context: &$crate::Context<'_>,
                inputs: &$crate::Inputs<'_>,
                outputs: &mut $crate::Outputs<'_>,
            ) -> Result<(), $crate::Cause> {
                let kernel: fn(&Self) -> $kind = $kernel;
                $crate::elementwise::unary::compute($($borrow)? kernel(self), context, inputs, outputs)
            }

            fn compute_in_place(
                &self,
                context: &$crate::Context<'_>,
                _input: usize,
                x: &mut stratal_kernels::AnyViewMut<'_>,
                _inputs: &$crate::Inputs<'_>,
            ) -> Result<(), $crate::Cause> {
                let kernel: fn(&Self) -> $kind = $kernel;
                $crate::elementwise::unary::compute_in_place($($borrow)? kernel(self), context, x)
            }
        }
    };
    ($operator:ty, dyn $kernel:expr) => {
        $crate::elementwise::unary::operator!(
            @implement $operator, &'static dyn stratal_kernels::map::Unary, (), $kernel, |_| None
        );
    };
    ($operator:ty, $kernel:expr) => {
        $crate::elementwise::unary::operator!($operator, $kernel, |_| None);
    };
    ($operator:ty, $kernel:expr, $extents:expr) => {
        $crate::elementwise::unary::operator!(@implement $operator, _, (&), $kernel, $extents);
    };
}
pub(crate) use operator;

/// The definition of an operator of one operand.
pub(crate) const fn definition(
    name: &'static str,
    since: u32,
    dtypes: &'static [DType],
    attributes: &'static [&'static str],
    build: fn(&Node<'_>) -> Result<Box<dyn Operator>, Cause>,
) -> Definition {
    Definition { domain: ONNX, name, since, inputs: 1..=1, outputs: 1..=1, attributes, dtypes, build }
}

pub(crate) fn infer(definition: &Definition, inputs: &Facts<'_>, of_extents: OfOne) -> Result<Vec<Fact>, Cause> {
    let dtype = inputs.dtype(0, definition.dtypes)?;
    let x = inputs.required(0)?;
    Ok(vec![Fact { dtype, shape: x.shape.clone(), elements: elements::map(x, dtype, of_extents) }])
}

pub(crate) fn compute(
    kernel: &dyn Unary,
    context: &Context<'_>,
    inputs: &Inputs<'_>,
    outputs: &mut Outputs<'_>,
) -> Result<(), Cause> {
    let x = inputs.required(0)?;
    outputs.write(0, |result| context.kernels().unary(kernel, x, result))
}

pub(crate) fn compute_in_place(kernel: &dyn Unary, context: &Context<'_>, x: &mut AnyViewMut<'_>) -> Result<(), Cause> {
    Ok(context.kernels().unary_in_place(kernel, x)?)
}
