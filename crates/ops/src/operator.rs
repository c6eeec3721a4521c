//! `Operator`: a rule for dtypes and shapes, and a computation into given outputs.

use std::fmt::Debug;

use stratal_kernels::{AnyView, AnyViewMut};

use crate::{Cause, Context, Definition, Fact, Facts, Inputs, OperatorError, Outputs};

/// An operator with its attributes.
///
/// [`infer`], [`compute`] and [`Context::run`] call it: they check the number of inputs and outputs, and name the operator
/// in errors.
pub trait Operator: Debug + Send + Sync {
    /// What is known of it beside its attributes.
    fn definition(&self) -> &'static Definition;

    /// The inputs from whose elements shapes are computed.
    fn shape_inputs(&self) -> &'static [usize] {
        &[]
    }

    /// The inputs whose memory the first output may take, if it has their dtype and shape.
    fn in_place_inputs(&self) -> &'static [usize] {
        &[]
    }

    /// The rule: what is known of each output, all of them, from what is known of the inputs. No data is needed.
    ///
    /// # Errors
    /// A [`Cause`] when the inputs do not fit the operator or each other, or too little is known.
    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause>;

    /// Computes the outputs that are wanted. The inputs keep the rule.
    ///
    /// # Errors
    /// A [`Cause`]; outputs have unspecified elements then.
    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause>;

    /// Replaces an input, one of [`in_place_inputs`](Self::in_place_inputs), by the first output. It is missing among `inputs`.
    ///
    /// # Errors
    /// Those of [`compute`](Self::compute).
    fn compute_in_place(
        &self,
        _context: &Context<'_>,
        input: usize,
        _x: &mut AnyViewMut<'_>,
        _inputs: &Inputs<'_>,
    ) -> Result<(), Cause> {
        Err(Cause::Unsupported { what: format!("input {input} in place") })
    }
}

/// What is known of an operator's outputs. New symbols get the node's name.
///
/// ```
/// use stratal_ops::{Concat, Extent, Fact, infer};
/// use stratal_tensor_base::DType;
///
/// let past = Fact::new(DType::F32, stratal_ops::SymbolicShape::new([Extent::symbol("past"), 64.into()]));
/// let new = Fact::new(DType::F32, [1, 64]);
/// let joined = infer(&Concat { axis: 0 }, "cache", &[Some(&past), Some(&new)])?;
/// assert_eq!(joined[0].shape.as_ref().unwrap().to_string(), "[past + 1, 64]");
/// # Ok::<(), stratal_ops::OperatorError>(())
/// ```
///
/// # Errors
/// [`OperatorError`] when the inputs do not fit.
pub fn infer(operator: &dyn Operator, node: &str, inputs: &[Option<&Fact>]) -> Result<Vec<Fact>, OperatorError> {
    let definition = operator.definition();
    let check = check_inputs(definition, inputs.len(), |input| inputs[input].is_some());
    check.and_then(|()| operator.infer(&Facts::new(node, inputs))).map_err(|cause| cause.of(definition.name))
}

/// Computes an operator's outputs from views, into whatever memory the outputs say.
///
/// # Errors
/// [`OperatorError`] when the inputs do not fit, or a kernel fails.
pub fn compute(
    operator: &dyn Operator,
    context: &Context<'_>,
    inputs: &[Option<AnyView<'_>>],
    outputs: &mut Outputs<'_>,
) -> Result<(), OperatorError> {
    let definition = operator.definition();
    let check = check_inputs(definition, inputs.len(), |input| inputs[input].is_some());
    check
        .and_then(|()| operator.compute(context, &Inputs::new(inputs), outputs))
        .map_err(|cause| cause.of(definition.name))
}

fn check_inputs(definition: &Definition, given: usize, is_there: impl Fn(usize) -> bool) -> Result<(), Cause> {
    let (least, most) = definition.inputs.clone().into_inner();
    if given < least || given > most {
        return Err(Cause::InputCount { least, most, given });
    }
    match (0..least).find(|&input| !is_there(input)) {
        Some(input) => Err(Cause::MissingInput { input }),
        None => Ok(()),
    }
}
