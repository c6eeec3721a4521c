//! What both operators that find extreme elements have in common.

use stratal_kernels::reduce::{ArgReduction, Extreme, Tie};
use stratal_tensor_base::DType;

use crate::{Cause, Context, Definition, Fact, Facts, Inputs, Node, ONNX, Operator, Outputs, axis, dtypes};

/// Declares an operator that finds extreme elements along an axis.
macro_rules! operator {
    ($(#[$doc:meta])* $operator:ident, $extreme:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        pub struct $operator {
            /// The axis; it may count from the end.
            pub axis: i64,
            /// Whether the axis stays, with extent 1.
            pub keeps_axis: bool,
            /// Which of equal elements is taken. Of NaNs it is the first.
            pub tie: stratal_kernels::reduce::Tie,
        }

        impl $operator {
            /// What is known of it.
            pub const DEFINITION: $crate::Definition =
                $crate::selection::arg::definition(stringify!($operator), |node| {
                    let (axis, keeps_axis, tie) = $crate::selection::arg::attributes(node)?;
                    Ok(Box::new(Self { axis, keeps_axis, tie }))
                });
        }

        impl $crate::Operator for $operator {
            fn definition(&self) -> &'static $crate::Definition {
                &Self::DEFINITION
            }

            fn infer(&self, inputs: &$crate::Facts<'_>) -> Result<Vec<$crate::Fact>, $crate::Cause> {
                $crate::selection::arg::infer(inputs, self.axis, self.keeps_axis)
            }

            fn compute(
                &self,
                context: &$crate::Context<'_>,
                inputs: &$crate::Inputs<'_>,
                outputs: &mut $crate::Outputs<'_>,
            ) -> Result<(), $crate::Cause> {
                let Self { axis, keeps_axis, tie } = *self;
                $crate::selection::arg::compute(context, inputs, outputs, ($extreme, tie), axis, keeps_axis)
            }
        }
    };
}
pub(crate) use operator;

pub(crate) const fn definition(
    name: &'static str,
    build: fn(&Node<'_>) -> Result<Box<dyn Operator>, Cause>,
) -> Definition {
    Definition {
        domain: ONNX,
        name,
        since: 13,
        inputs: 1..=1,
        outputs: 1..=1,
        attributes: &["axis", "keepdims", "select_last_index"],
        dtypes: dtypes::NUMBERS,
        build,
    }
}

pub(crate) fn attributes(node: &Node<'_>) -> Result<(i64, bool, Tie), Cause> {
    let tie = if node.flag("select_last_index", false)? { Tie::Last } else { Tie::First };
    Ok((node.int_or("axis", 0)?, node.flag("keepdims", true)?, tie))
}

pub(crate) fn infer(inputs: &Facts<'_>, along: i64, keeps_axis: bool) -> Result<Vec<Fact>, Cause> {
    inputs.dtype(0, dtypes::NUMBERS)?;
    let mut shape = inputs.shape(0)?.clone();
    let along = axis(along, shape.rank())?;
    let is_empty = shape[along].is(0) && !shape.iter().enumerate().any(|(axis, extent)| axis != along && extent.is(0));
    if is_empty {
        let expected = format!("elements along axis {along}");
        return Err(Cause::Shape { input: 0, shape: shape.to_string(), expected });
    }
    if keeps_axis {
        shape.extents_mut()[along] = 1.into();
    } else {
        shape.extents_mut().remove(along);
    }
    Ok(vec![Fact::new(DType::I64, shape)])
}

pub(crate) fn compute(
    context: &Context<'_>,
    inputs: &Inputs<'_>,
    outputs: &mut Outputs<'_>,
    (extreme, tie): (Extreme, Tie),
    along: i64,
    keeps_axis: bool,
) -> Result<(), Cause> {
    let x = inputs.required(0)?;
    let along = axis(along, x.shape().rank())?;
    outputs.write(0, |result| {
        let mut result = match keeps_axis {
            true => result.reborrow(),
            false => result.seen(|geometry| Ok::<_, Cause>(geometry.unsqueeze(along as i64)?))?,
        };
        Ok::<_, Cause>(context.kernels().arg_reduce(ArgReduction { extreme, tie }, along, x, &mut result)?)
    })
}
