//! Updates in place: elements of a variable replaced, as the step of an optimiser does.

use stratal_autograd::should_record;
use stratal_kernels::{AnyView, AnyViewMut};
use stratal_ops::{self as ops, Cause, Fact, Operator, Reading, SymbolicShape, compute_in_place, infer, read};
use stratal_tensor::{Tensor, TensorError};
use stratal_tensor_base::Scalar;

use crate::engine::with_context;
use crate::var::number;
use crate::{EagerError, Operand, Var};

/// Each of these writes the elements of this variable, and of all that share them, and is no part of any graph. So it is an
/// error where something would have to be recorded: within [`no_grad`](crate::no_grad) nothing is. Whoever saved the elements
/// before finds them overwritten when going backward.
///
/// ```
/// use stratal_eager::{Var, no_grad};
///
/// let weight = Var::leaf(&[1.0_f32, 2.0], &[2])?;
/// assert!(weight.mul_in_place(0.5).is_err());
/// no_grad(|| weight.mul_in_place(0.5))?;
/// assert_eq!(weight.to_vec::<f32>()?, [0.5, 1.0]);
/// # Ok::<(), stratal_eager::EagerError>(())
/// ```
impl Var {
    /// Adds a variable that broadcasts to this one, or a number.
    ///
    /// # Errors
    /// [`EagerError::Autograd`] while recording, if this variable requires gradients, and [`EagerError::Unfit`], if the other one
    /// does; [`EagerError::Operator`] when the two do not fit; [`EagerError::Tensor`] for elements in use. Nothing is written then.
    pub fn add_in_place<'b>(&self, other: impl Into<Operand<'b>>) -> Result<(), EagerError> {
        self.with_operand("add_in_place", &ops::Add, other.into())
    }

    /// Subtracts a variable that broadcasts to this one, or a number.
    ///
    /// # Errors
    /// Those of [`add_in_place`](Self::add_in_place).
    pub fn sub_in_place<'b>(&self, other: impl Into<Operand<'b>>) -> Result<(), EagerError> {
        self.with_operand("sub_in_place", &ops::Sub, other.into())
    }

    /// Multiplies by a variable that broadcasts to this one, or a number.
    ///
    /// # Errors
    /// Those of [`add_in_place`](Self::add_in_place).
    pub fn mul_in_place<'b>(&self, other: impl Into<Operand<'b>>) -> Result<(), EagerError> {
        self.with_operand("mul_in_place", &ops::Mul, other.into())
    }

    /// Puts one number in each place.
    ///
    /// # Errors
    /// [`EagerError::Autograd`] while recording, if this variable requires gradients, and for elements in use.
    pub fn fill(&self, value: impl Into<Scalar>) -> Result<(), EagerError> {
        Ok(self.0.fill(value)?)
    }

    fn with_operand(
        &self,
        operation: &'static str,
        operator: &dyn Operator,
        other: Operand<'_>,
    ) -> Result<(), EagerError> {
        match other {
            Operand::Var(other) => replace(operation, operator, &[Some(self), Some(other)]),
            Operand::Number(value) => replace(operation, operator, &[Some(self), Some(&number(self.dtype(), value)?)]),
        }
    }
}

/// Replaces the elements of an operator's first input by its first output, if the operator
/// [can](Operator::in_place_inputs): most that work element by element can.
///
/// As with [`Var::add_in_place`], nothing is recorded, and it is an error where it would have to be.
///
/// ```
/// use stratal_eager::{Var, apply_in_place};
/// use stratal_ops::Relu;
///
/// let x = Var::from_slice(&[-1.0_f32, 2.0], &[2])?;
/// apply_in_place(&Relu, &[Some(&x)])?;
/// assert_eq!(x.to_vec::<f32>()?, [0.0, 2.0]);
/// # Ok::<(), stratal_eager::EagerError>(())
/// ```
///
/// # Errors
/// Those of [`Var::add_in_place`]; [`EagerError::Operator`] for an operator that cannot. If a kernel fails on the way, such as
/// by a division of integers by zero, elements are unspecified.
pub fn apply_in_place(operator: &dyn Operator, inputs: &[Option<&Var>]) -> Result<(), EagerError> {
    replace(operator.definition().name, operator, inputs)
}

fn replace(operation: &'static str, operator: &dyn Operator, inputs: &[Option<&Var>]) -> Result<(), EagerError> {
    let [Some(x), others @ ..] = inputs else {
        return Err(EagerError::Unfit(format!("{operation} has no first input, so there is nothing to replace")));
    };
    let written = x.0.writable(operation)?;
    let is_recorded = |input: &Option<&Var>| input.is_some_and(|input| should_record(&[&input.0]));
    if let Some(input) = inputs.iter().position(is_recorded) {
        return Err(EagerError::Unfit(format!(
            "{operation} is not recorded, and input {input} requires gradients; do it within no_grad, or with a \
             detached one"
        )));
    }
    // What is written cannot be read at the same time.
    let apart = |var: &Var| -> Result<Tensor, EagerError> {
        let tensor = var.tensor();
        Ok(if tensor.shares_buffer(written) { tensor.copied()? } else { tensor.clone() })
    };
    let others = others.iter().map(|var| var.map(apart).transpose()).collect::<Result<Vec<_>, _>>()?;
    let mut held = Vec::with_capacity(others.len());
    for other in &others {
        held.push(other.as_ref().map(read).transpose()?);
    }
    let mut views = vec![None];
    for held in &held {
        views.push(held.as_ref().map(Reading::view).transpose()?);
    }
    check(operation, operator, written, &views)?;
    let geometry = *written.geometry()?;
    let mut guard = written.storage_mut()?;
    let mut view = AnyViewMut::new(&mut guard, written.dtype(), geometry)?;
    with_context(|context| Ok(compute_in_place(operator, context, 0, &mut view, &views)?))
}

/// Finds what does not fit before anything is opened to be written, since that alone counts as a write.
fn check(
    operation: &'static str,
    operator: &dyn Operator,
    written: &Tensor,
    others: &[Option<AnyView<'_>>],
) -> Result<(), EagerError> {
    let geometry = *written.geometry()?;
    if geometry.may_overlap() {
        return Err(TensorError::Overlapping { geometry }.into());
    }
    let name = operator.definition().name;
    if !operator.in_place_inputs().contains(&0) {
        return Err(Cause::Unsupported { what: "input 0 in place".into() }.of(name).into());
    }
    let fact = |(input, view): (usize, &Option<AnyView<'_>>)| {
        let is_read = operator.shape_inputs().contains(&input);
        let of = |view: &AnyView<'_>| {
            if is_read { Fact::of_view(view) } else { Fact::of_shape(view.dtype(), view.shape()) }
        };
        view.as_ref().map(of)
    };
    let mut facts: Vec<_> = others.iter().enumerate().map(fact).collect();
    let (dtype, shape) = (written.dtype(), written.shape());
    facts[0] = Some(Fact::of_shape(dtype, shape));
    let facts: Vec<_> = facts.iter().map(Option::as_ref).collect();
    let said = infer(operator, name, &facts)?;
    let is_other = |said: &&Fact| said.dtype != dtype || said.shape != Some(SymbolicShape::from(shape));
    let Some(said) = said.first().filter(is_other) else { return Ok(()) };
    let said_shape = said.shape.as_ref().map_or_else(|| "an unknown shape".into(), ToString::to_string);
    Err(EagerError::Unfit(format!("{operation} cannot replace {dtype} {shape} by {} {said_shape}", said.dtype)))
}
