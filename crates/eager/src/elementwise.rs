//! Element by element: the short path for operations that are called more often than any others.
#![expect(clippy::result_large_err, reason = "a cause is passed on once a use")]

use std::sync::{Arc, LazyLock};

use smallvec::SmallVec;
use stratal_autograd::{OpKind, Variable, should_record};
use stratal_kernels::AnyView;
use stratal_ops::{Inputs, Operator, Outputs, Slot, read};
use stratal_tensor::Allocator;
use stratal_tensor_base::Shape;

use crate::apply::{apply_shared, of, start};
use crate::derivative::Registered;
use crate::engine::with_context;
use crate::var::number;
use crate::{EagerError, Var};

/// An operator without attributes that is shared by all who call it, so that applying it looks nothing up.
pub(crate) struct Shared {
    operator: Arc<dyn Operator>,
    kind: OpKind,
    registered: Option<&'static Registered>,
}

impl Shared {
    pub(crate) fn new(operator: impl Operator) -> Self {
        let (kind, registered) = of(&operator);
        Self { operator: Arc::new(operator), kind, registered }
    }
}

/// A second operand: a variable, or a number.
#[derive(Debug, Clone, Copy)]
pub enum Operand<'a> {
    /// A variable.
    Var(&'a Var),
    /// A number, which takes the dtype of the other operand.
    Number(f64),
}

impl<'a> From<&'a Var> for Operand<'a> {
    fn from(var: &'a Var) -> Self {
        Self::Var(var)
    }
}

impl From<f64> for Operand<'_> {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

/// Applies an operator of two operands that broadcast.
pub(crate) fn binary<'b>(
    shared: &'static LazyLock<Shared>,
    a: &Var,
    b: impl Into<Operand<'b>>,
) -> Result<Var, EagerError> {
    match b.into() {
        Operand::Var(b) => of_operands(shared, &[a, b]),
        Operand::Number(value) => of_operands(shared, &[a, &number(a.dtype(), value)?]),
    }
}

/// Applies an operator of one operand.
pub(crate) fn unary(shared: &'static LazyLock<Shared>, x: &Var) -> Result<Var, EagerError> {
    of_operands(shared, &[x])
}

/// Applies an operator whose rule is: one dtype, of those that it has; the result has it, and the shape that all broadcast to.
///
/// Operands that do not fit go the long way, which finds the words for it.
fn of_operands(shared: &Shared, operands: &[&Var]) -> Result<Var, EagerError> {
    let operator = &*shared.operator;
    let dtype = operands[0].dtype();
    let fits = operator.definition().dtypes.contains(&dtype)
        && operands.iter().all(|operand| operand.dtype() == dtype && operand.tensor().geometry().is_ok());
    let shape = if fits { shape_of(operands) } else { None };
    let Some(shape) = shape else {
        let inputs: SmallVec<[Option<&Var>; 2]> = operands.iter().map(|&operand| Some(operand)).collect();
        return Ok(apply_shared(&shared.operator, &inputs, 1)?.swap_remove(0));
    };
    let variables: SmallVec<[&Variable; 2]> = operands.iter().map(|operand| &operand.0).collect();
    let recording = if should_record(&variables) {
        let inputs: SmallVec<[Option<&Var>; 2]> = operands.iter().map(|&operand| Some(operand)).collect();
        let keep = || Arc::clone(&shared.operator);
        Some(start(operator, shared.kind, shared.registered, &keep, &inputs, &variables)?.0)
    } else {
        None
    };
    let output = {
        let held = operands.iter().map(|operand| read(operand.tensor())).collect::<Result<SmallVec<[_; 2]>, _>>()?;
        let views =
            held.iter().map(|held| held.view().map(Some)).collect::<Result<SmallVec<[Option<AnyView<'_>>; 2]>, _>>()?;
        let mut outputs = Outputs::new(Allocator::Shared, vec![Slot::New(dtype, Some(shape))]);
        with_context(|context| {
            let computed = operator.compute(context, &Inputs::new(&views), &mut outputs);
            Ok(computed.map_err(|cause| cause.of(operator.definition().name))?)
        })?;
        outputs.into_tensors().swap_remove(0)
    };
    let nothing = || EagerError::Unfit(format!("{} computed nothing", operator.definition().name));
    let output = output.ok_or_else(nothing)?;
    match recording {
        Some(recording) => Ok(Var(recording.finish(output)?)),
        None => Ok(Var::constant(output)),
    }
}

/// The shape that all operands broadcast to.
fn shape_of(operands: &[&Var]) -> Option<Shape> {
    let mut shape = *operands.first()?.shape();
    for operand in &operands[1..] {
        if *operand.shape() != shape {
            shape = shape.broadcast(operand.shape()).ok()?;
        }
    }
    Some(shape)
}
