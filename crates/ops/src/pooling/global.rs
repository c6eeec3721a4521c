//! What operators that pool whole images have in common: a reduction over all axes after the channels.

use stratal_kernels::reduce::Reduction;

use crate::{Cause, Context, Definition, Fact, Facts, Inputs, Node, ONNX, Operator, Outputs, dtypes};

/// The definition of an operator that pools whole images.
pub(super) const fn definition(
    name: &'static str,
    attributes: &'static [&'static str],
    build: fn(&Node<'_>) -> Result<Box<dyn Operator>, Cause>,
) -> Definition {
    let dtypes = dtypes::FLOATS;
    Definition { domain: ONNX, name, since: 22, inputs: 1..=1, outputs: 1..=1, attributes, dtypes, build }
}

pub(super) fn infer(inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
    let dtype = inputs.dtype(0, dtypes::FLOATS)?;
    let mut shape = inputs.shape(0)?.clone();
    if shape.rank() < 3 {
        let expected = "a batch, channels and one axis or more".into();
        return Err(Cause::Shape { input: 0, shape: shape.to_string(), expected });
    }
    shape.extents_mut()[2..].fill(1.into());
    Ok(vec![Fact::new(dtype, shape)])
}

pub(super) fn compute(
    reduction: &dyn Reduction,
    context: &Context<'_>,
    inputs: &Inputs<'_>,
    outputs: &mut Outputs<'_>,
) -> Result<(), Cause> {
    let x = inputs.required(0)?;
    outputs.write(0, |result| context.kernels().reduce(reduction, x, result))
}
