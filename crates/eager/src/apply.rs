//! Applying operators to variables: the one path on which everything is computed and recorded.

use std::sync::Arc;

use smallvec::SmallVec;
use stratal_autograd::{OpKind, Recording, Variable};
use stratal_ops::Operator;
use stratal_tensor::Tensor;

use crate::derivative::{Applied, Need, Registered, Saves};
use crate::engine::{registered, with_context};
use crate::{EagerError, Var};

/// Computes the first output of an operator, and records it for backward.
///
/// Any operator of `stratal_ops` can be applied, and those of others. One that has no derivative can be computed; going
/// backward through it is an error that names it.
///
/// ```
/// use stratal_eager::{Var, apply};
/// use stratal_ops::Softmax;
///
/// let x = Var::leaf(&[0.0_f32, 0.0], &[2])?;
/// let y = apply(&Softmax { axis: 0 }, &[Some(&x)])?;
/// assert_eq!(y.to_vec::<f32>()?, [0.5, 0.5]);
/// # Ok::<(), stratal_eager::EagerError>(())
/// ```
///
/// # Errors
/// [`EagerError::Operator`] when the inputs do not fit or a kernel fails.
pub fn apply<O: Operator + Clone>(operator: &O, inputs: &[Option<&Var>]) -> Result<Var, EagerError> {
    let mut outputs = apply_outputs(operator, inputs, 1)?;
    Ok(outputs.swap_remove(0))
}

/// Computes the first outputs of an operator, `count` of them, and records them for backward.
///
/// # Errors
/// [`EagerError::Operator`] when the inputs do not fit, there are not as many outputs, or a kernel fails.
pub fn apply_outputs<O: Operator + Clone>(
    operator: &O,
    inputs: &[Option<&Var>],
    count: usize,
) -> Result<Vec<Var>, EagerError> {
    run(operator, &|| Arc::new(operator.clone()), inputs, count)
}

/// [`apply_outputs`] for an operator that is shared, such as one that was [built](stratal_ops::build) by its name.
///
/// # Errors
/// Those of [`apply_outputs`].
pub fn apply_shared(
    operator: &Arc<dyn Operator>,
    inputs: &[Option<&Var>],
    count: usize,
) -> Result<Vec<Var>, EagerError> {
    run(&**operator, &|| Arc::clone(operator), inputs, count)
}

fn run(
    operator: &dyn Operator,
    shared: &dyn Fn() -> Arc<dyn Operator>,
    inputs: &[Option<&Var>],
    count: usize,
) -> Result<Vec<Var>, EagerError> {
    let tensors: SmallVec<[Option<&Tensor>; 4]> = inputs.iter().map(|input| input.map(Var::tensor)).collect();
    let variables: SmallVec<[&Variable; 4]> = inputs.iter().flatten().map(|input| &input.0).collect();
    let (kind, registered) = of(operator);
    let (recording, saves) = start(operator, kind, registered, shared, inputs, &variables)?;
    let is_wanted = |output: usize| output < count || saves.outputs.contains(&output);
    let outputs = with_context(|context| Ok(context.run_wanted(operator, &tensors, is_wanted)?))?;
    let kept = count.max(saves.outputs.iter().max().map_or(0, |&last| last + 1));
    let given = outputs.len();
    // An output between that nobody wants has a place in the record all the same.
    let filled = outputs
        .into_iter()
        .take(kept)
        .map(|output| output.map_or_else(|| Tensor::empty(&[0], stratal_tensor_base::DType::Bool), Ok));
    let outputs: Vec<Tensor> = filled.collect::<Result<_, _>>()?;
    if outputs.len() < count {
        let name = operator.definition().name;
        return Err(EagerError::Unfit(format!("{name} has {given} outputs here, not {count}")));
    }
    let outputs = recording.finish_vec(outputs)?;
    Ok(outputs.into_iter().take(count).map(Var).collect())
}

/// The name that an operator is recorded under, and its derivative.
pub(crate) fn of(operator: &dyn Operator) -> (OpKind, Option<&'static Registered>) {
    match registered(operator) {
        Some(registered) => (registered.kind, Some(registered)),
        None => (OpKind::new(operator.definition().name), None),
    }
}

/// Starts to record, if there is anything to record, and saves inputs.
pub(crate) fn start<'a>(
    operator: &dyn Operator,
    kind: OpKind,
    registered: Option<&'static Registered>,
    shared: &dyn Fn() -> Arc<dyn Operator>,
    inputs: &[Option<&Var>],
    variables: &[&'a Variable],
) -> Result<(Recording<'a>, Saves), EagerError> {
    let mut recording = Recording::start(kind, variables);
    if !recording.is_active() {
        return Ok((recording, Saves::nothing()));
    }
    recording.attributes(Arc::new(Applied(shared())));
    if variables.len() < inputs.len() {
        if inputs.len() > 63 {
            return Err(EagerError::Unfit(format!("{kind} cannot leave out one of {} inputs", inputs.len())));
        }
        let given = inputs.iter().rev().fold(0, |given, input| given << 1 | i64::from(input.is_some()));
        recording.ints(&[inputs.len() as i64, given]);
    }
    let Some(registered) = registered else { return Ok((recording, Saves::nothing())) };
    let saves = (registered.saves)(operator, &Need { inputs });
    for &input in &saves.inputs {
        if inputs.get(input).copied().flatten().is_some() {
            recording.save_input(inputs[..input].iter().flatten().count());
        }
    }
    for &output in &saves.outputs {
        recording.save_output(output);
    }
    Ok((recording, saves))
}
