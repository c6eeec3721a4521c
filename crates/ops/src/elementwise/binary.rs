//! What all operators of two operands that broadcast have in common.

use stratal_kernels::map::Binary;
use stratal_kernels::{AnyView, AnyViewMut};
use stratal_tensor_base::{DType, Shape};

use crate::{
    Cause, Context, Definition, Elements, Extent, ExtentError, Fact, Facts, Inputs, Node, ONNX, Operator, Outputs,
};

/// Implements an operator of two operands by a kernel: `operator!(Add, |_| map::Add)`. With a third argument, a function of
/// two extents, the rule computes elements of shapes too.
macro_rules! operator {
    ($operator:ty, $kernel:expr) => {
        $crate::elementwise::binary::operator!($operator, $kernel, |_, _| None);
    };
    ($operator:ty, $kernel:expr, $extents:expr) => {
        impl $crate::Operator for $operator {
            fn definition(&self) -> &'static $crate::Definition {
                &Self::DEFINITION
            }

            fn in_place_inputs(&self) -> &'static [usize] {
                &[0]
            }

            fn infer(&self, inputs: &$crate::Facts<'_>) -> Result<Vec<$crate::Fact>, $crate::Cause> {
                $crate::elementwise::binary::infer(&Self::DEFINITION, inputs, $extents)
            }

            fn compute(
                &self,
                context: &$crate::Context<'_>,
                inputs: &$crate::Inputs<'_>,
                outputs: &mut $crate::Outputs<'_>,
            ) -> Result<(), $crate::Cause> {
                let kernel: fn(&Self) -> _ = $kernel;
                $crate::elementwise::binary::compute(&kernel(self), context, inputs, outputs)
            }

            fn compute_in_place(
                &self,
                context: &$crate::Context<'_>,
                _input: usize,
                x: &mut stratal_kernels::AnyViewMut<'_>,
                inputs: &$crate::Inputs<'_>,
            ) -> Result<(), $crate::Cause> {
                let kernel: fn(&Self) -> _ = $kernel;
                $crate::elementwise::binary::compute_in_place(&kernel(self), context, x, inputs)
            }
        }
    };
}
pub(crate) use operator;

/// The definition of an operator of two operands.
pub(crate) const fn definition(
    name: &'static str,
    since: u32,
    dtypes: &'static [DType],
    attributes: &'static [&'static str],
    build: fn(&Node<'_>) -> Result<Box<dyn Operator>, Cause>,
) -> Definition {
    Definition { domain: ONNX, name, since, inputs: 2..=2, outputs: 1..=1, attributes, dtypes, build }
}

pub(crate) fn infer(
    definition: &Definition,
    inputs: &Facts<'_>,
    of_extents: fn(&Extent, &Extent) -> Option<Result<Extent, ExtentError>>,
) -> Result<Vec<Fact>, Cause> {
    let dtype = inputs.dtype(0, definition.dtypes)?;
    inputs.check_dtypes(dtype)?;
    let elements = elements(inputs, of_extents);
    Ok(vec![Fact::new(dtype, inputs.broadcast()?).with_elements(elements)])
}

pub(crate) fn compute(
    kernel: &dyn Binary,
    context: &Context<'_>,
    inputs: &Inputs<'_>,
    outputs: &mut Outputs<'_>,
) -> Result<(), Cause> {
    let (a, b) = (inputs.required(0)?, inputs.required(1)?);
    outputs.write(0, |result| {
        let (a, b) = (broadcast(a, result.shape())?, broadcast(b, result.shape())?);
        Ok::<_, Cause>(context.kernels().binary(kernel, &a, &b, result)?)
    })
}

pub(crate) fn compute_in_place(
    kernel: &dyn Binary,
    context: &Context<'_>,
    a: &mut AnyViewMut<'_>,
    inputs: &Inputs<'_>,
) -> Result<(), Cause> {
    let b = broadcast(inputs.required(1)?, a.shape())?;
    Ok(context.kernels().binary_in_place(kernel, a, &b)?)
}

/// An operand in the shape of the result.
pub(crate) fn broadcast<'a>(view: &AnyView<'a>, shape: &Shape) -> Result<AnyView<'a>, Cause> {
    view.seen(|geometry| Ok(geometry.broadcast_to(shape)?))
}

/// The elements of a vector that is computed from vectors, or a scalar, of extents.
fn elements(
    inputs: &Facts<'_>,
    of_extents: fn(&Extent, &Extent) -> Option<Result<Extent, ExtentError>>,
) -> Option<Elements> {
    let (a, b) = (inputs.get(0)?, inputs.get(1)?);
    if a.shape.as_ref()?.rank().max(b.shape.as_ref()?.rank()) > 1 {
        return None;
    }
    let (a, b) = (a.integers()?, b.integers()?);
    let count = if a.len() == 1 { b.len() } else { a.len() };
    let at = |elements: &[Extent], index: usize| elements.get(if elements.len() == 1 { 0 } else { index }).cloned();
    // What cannot be expressed is not known.
    let element = |index| of_extents(&at(a, index)?, &at(b, index)?)?.ok();
    (0..count).map(element).collect::<Option<_>>().map(Elements::Integers)
}
