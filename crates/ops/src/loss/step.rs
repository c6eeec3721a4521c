//! What the steps of all optimisers have in common.

use stratal_kernels::AnyView;
use stratal_tensor_base::DType;

use crate::{
    ANY_NUMBER, Cause, Context, Definition, Extent, Fact, Facts, Inputs, Node, Operator, Outputs, PREVIEW_TRAINING,
    read,
};

/// The dtypes of tensors that are optimised.
const FLOATS: &[DType] = &[DType::F32, DType::F64];

/// The definition of an optimiser.
pub(crate) const fn definition(
    name: &'static str,
    least_inputs: usize,
    attributes: &'static [&'static str],
    build: fn(&Node<'_>) -> Result<Box<dyn Operator>, Cause>,
) -> Definition {
    let (inputs, outputs) = (least_inputs..=ANY_NUMBER, 1..=ANY_NUMBER);
    Definition { domain: PREVIEW_TRAINING, name, since: 1, inputs, outputs, attributes, dtypes: FLOATS, build }
}

/// What is known of the outputs of an optimiser. Its inputs are a rate, a count, all tensors, their gradients, and `states` of
/// each; its outputs all tensors and `states` of each.
pub(crate) fn infer(inputs: &Facts<'_>, states: usize) -> Result<Vec<Fact>, Cause> {
    inputs.dtype(0, FLOATS)?;
    inputs.dtype(1, &[DType::I64])?;
    let tensors = tensors(inputs.len(), states)?;
    let mut facts = Vec::with_capacity(tensors * (states + 1));
    for input in 2..inputs.len() {
        let tensor = 2 + (input - 2) % tensors;
        let dtype = inputs.dtype(tensor, FLOATS)?;
        inputs.required(input)?;
        inputs.check_dtype(input, dtype)?;
        let (shape, expected) = (inputs.shape(input)?, inputs.shape(tensor)?);
        let fits = |(a, b): (&Extent, &Extent)| a.known().zip(b.known()).is_none_or(|(a, b)| a == b);
        if shape.rank() != expected.rank() || !shape.iter().zip(expected.iter()).all(fits) {
            let expected = format!("{expected}, as input {tensor} has");
            return Err(Cause::Shape { input, shape: shape.to_string(), expected });
        }
        if !is_gradient(input, tensors) {
            facts.push(Fact::new(dtype, expected.clone()));
        }
    }
    Ok(facts)
}

/// Computes a step for each element: `step` gets the rate, the count, and an element of a tensor, of its gradient and of the
/// states, and returns the next one of each but the gradient in the same places. All is computed in f64 and rounded once.
pub(crate) fn compute<const N: usize>(
    context: &Context<'_>,
    inputs: &Inputs<'_>,
    outputs: &mut Outputs<'_>,
    step: impl Fn(f64, i64, [f64; N]) -> [f64; N],
) -> Result<(), Cause> {
    let rate = inputs.scalar(0)?.ok_or(Cause::MissingInput { input: 0 })?.cast();
    let count = inputs.integer(1)?.ok_or(Cause::MissingInput { input: 1 })?;
    let tensors = tensors(inputs.len(), N - 2)?;
    let places = [0].into_iter().chain(2..N);
    for (output, place) in places.enumerate() {
        for tensor in 0..tensors {
            let operands: [Option<&AnyView<'_>>; N] =
                std::array::from_fn(|operand| inputs.get(2 + operand * tensors + tensor));
            let operands = operands.iter().flatten().map(|view| context.converted(view, DType::F64));
            let operands = operands.collect::<Result<Vec<_>, _>>()?;
            let Some(first) = operands.first() else { continue };
            let next = context.scratch(DType::F64, first.shape())?;
            {
                let held = operands.iter().map(|operand| operand.data::<f64>()).collect::<Result<Vec<_>, _>>()?;
                for (index, next) in next.data_mut::<f64>()?.iter_mut().enumerate() {
                    let element = |operand: usize| held.get(operand).and_then(|held| held.get(index)).copied();
                    let elements = std::array::from_fn(|operand| element(operand).unwrap_or(f64::NAN));
                    *next = step(rate, count, elements)[place];
                }
            }
            let next = read(&next)?;
            let next = next.view()?;
            outputs.write(output * tensors + tensor, |result| context.kernels().cast(&next, result))?;
        }
    }
    Ok(())
}

/// How many tensors there are, each with its gradient and states, behind a rate and a count.
fn tensors(inputs: usize, states: usize) -> Result<usize, Cause> {
    let each = states + 2;
    let others = inputs.saturating_sub(2);
    if others == 0 || !others.is_multiple_of(each) {
        let text = format!("takes a rate, a count and {each} inputs for each tensor, not {inputs} inputs");
        return Err(Cause::Unfit(text));
    }
    Ok(others / each)
}

fn is_gradient(input: usize, tensors: usize) -> bool {
    (input - 2) / tensors == 1
}
