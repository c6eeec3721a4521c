//! `Derivative`: how an operator goes backward, as rules write it.

use std::any::Any;
use std::cell::RefCell;
use std::sync::Arc;

use smallvec::{SmallVec, smallvec};
use stratal_autograd::{AutogradError, InputGradients, OpKind, Rule, RuleCall, RuleError, SavedOrigin, Unpacked};
use stratal_ops::{Definition, Operator};
use stratal_tensor_base::{DType, Shape};

use crate::{EagerError, Var};

/// How an operator goes backward.
pub(crate) trait Derivative: Operator + Sized {
    /// Whether the rule computes with recorded operations alone, so that its gradients have the right gradients themselves.
    const IS_DIFFERENTIABLE: bool = true;

    /// What the rule will read, given what needs a gradient. Nothing else is kept alive.
    fn saves(&self, _need: &Need<'_>) -> Saves {
        Saves::nothing()
    }

    /// The gradients of the inputs, by position; none where [`Call::needs`] says that none is needed.
    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError>;
}

/// Which inputs need a gradient, by the positions that the operator knows them by.
pub(crate) struct Need<'a> {
    pub(crate) inputs: &'a [Option<&'a Var>],
}

impl Need<'_> {
    /// Whether an input needs a gradient.
    pub(crate) fn input(&self, input: usize) -> bool {
        self.inputs.get(input).copied().flatten().is_some_and(Var::requires_grad)
    }

    /// How many inputs there are, with those left out.
    pub(crate) fn count(&self) -> usize {
        self.inputs.len()
    }
}

/// What a rule will read: inputs and outputs by position. Inputs that are left out are not saved.
#[derive(Debug, Default, Clone)]
pub(crate) struct Saves {
    pub(crate) inputs: SmallVec<[usize; 3]>,
    pub(crate) outputs: SmallVec<[usize; 2]>,
}

impl Saves {
    pub(crate) fn nothing() -> Self {
        Self::default()
    }

    /// One input.
    pub(crate) fn input(input: usize) -> Self {
        Self { inputs: smallvec![input], outputs: SmallVec::new() }
    }

    /// Several inputs.
    pub(crate) fn inputs(inputs: impl IntoIterator<Item = usize>) -> Self {
        Self { inputs: inputs.into_iter().collect(), outputs: SmallVec::new() }
    }

    /// One output. It is computed for the rule even if nobody else wants it.
    pub(crate) fn output(output: usize) -> Self {
        Self { inputs: SmallVec::new(), outputs: smallvec![output] }
    }

    /// And an output.
    pub(crate) fn and_output(mut self, output: usize) -> Self {
        self.outputs.push(output);
        self
    }

    /// And an input, if a condition holds.
    pub(crate) fn and_input_if(mut self, condition: bool, input: usize) -> Self {
        if condition {
            self.inputs.push(input);
        }
        self
    }
}

/// The gradients of an operator's inputs, by position.
#[derive(Debug, Default)]
pub(crate) struct Gradients(pub(crate) SmallVec<[Option<Var>; 3]>);

impl From<Var> for Gradients {
    fn from(gradient: Var) -> Self {
        Self(smallvec![Some(gradient)])
    }
}

impl<const N: usize> From<[Option<Var>; N]> for Gradients {
    fn from(gradients: [Option<Var>; N]) -> Self {
        Self(gradients.into_iter().collect())
    }
}

impl FromIterator<Option<Var>> for Gradients {
    fn from_iter<I: IntoIterator<Item = Option<Var>>>(gradients: I) -> Self {
        Self(gradients.into_iter().collect())
    }
}

/// What a rule is given: gradients of outputs, saved values, and what is known of the inputs.
pub(crate) struct Call<'a> {
    call: &'a RuleCall<'a>,
    /// What was asked for is held open, so that nobody writes it while the rule computes.
    held: RefCell<SmallVec<[Unpacked<'a>; 2]>>,
}

impl<'a> Call<'a> {
    fn new(call: &'a RuleCall<'a>) -> Self {
        Self { call, held: RefCell::default() }
    }

    /// The gradient of the first output.
    pub(crate) fn gradient(&self) -> Result<Var, EagerError> {
        match self.output_gradient(0) {
            Some(gradient) => Ok(gradient),
            // Only another output was used.
            None => self.zeros_like_output(0),
        }
    }

    /// The gradient of an output, or nothing if the output was not used.
    pub(crate) fn output_gradient(&self, output: usize) -> Option<Var> {
        self.call.gradient(output).cloned().map(Var)
    }

    /// Whether the gradient of an input is needed.
    pub(crate) fn needs(&self, input: usize) -> bool {
        self.position(input).is_some_and(|position| self.call.needs(position))
    }

    /// The gradient of an input, computed if it is needed.
    pub(crate) fn wanted(
        &self,
        input: usize,
        gradient: impl FnOnce() -> Result<Var, EagerError>,
    ) -> Result<Option<Var>, EagerError> {
        self.needs(input).then(gradient).transpose()
    }

    /// The gradient of an input that was broadcast, computed if it is needed, and summed to the input's shape.
    pub(crate) fn wanted_summed(
        &self,
        input: usize,
        gradient: impl FnOnce() -> Result<Var, EagerError>,
    ) -> Result<Option<Var>, EagerError> {
        self.wanted(input, || gradient()?.sum_to(self.shape(input)))
    }

    /// An input that was saved.
    pub(crate) fn input(&self, input: usize) -> Result<Var, EagerError> {
        let position = self.position(input).ok_or_else(|| missing(input))?;
        self.unpack(SavedOrigin::Input(position as u32))
    }

    /// An output that was saved.
    pub(crate) fn output(&self, output: usize) -> Result<Var, EagerError> {
        self.unpack(SavedOrigin::Output(output as u32))
    }

    /// Whether an input was there.
    pub(crate) fn is_given(&self, input: usize) -> bool {
        self.position(input).is_some()
    }

    /// How many inputs the operator had, with those left out.
    pub(crate) fn input_count(&self) -> usize {
        match self.call.record().ints() {
            [] => self.call.record().inputs().len(),
            [count, _] => *count as usize,
            _ => 0,
        }
    }

    /// The shape of an input.
    ///
    /// # Panics
    /// If it was left out.
    pub(crate) fn shape(&self, input: usize) -> &'a Shape {
        &self.recorded(input).shape
    }

    /// The dtype of an input.
    ///
    /// # Panics
    /// If it was left out.
    pub(crate) fn dtype(&self, input: usize) -> DType {
        self.recorded(input).dtype
    }

    /// How many outputs were recorded: at least those that somebody wanted.
    pub(crate) fn output_count(&self) -> usize {
        self.call.record().outputs().len()
    }

    /// The elements of an input that was saved, as integers; nothing if it was left out.
    pub(crate) fn integers(&self, input: usize) -> Result<Option<Vec<i64>>, EagerError> {
        if !self.is_given(input) {
            return Ok(None);
        }
        Ok(Some(self.input(input)?.tensor().cast(DType::I64)?.to_vec()?))
    }

    /// The elements of an input that was saved, in f64; nothing if it was left out or has no elements.
    pub(crate) fn numbers(&self, input: usize) -> Result<Option<Vec<f64>>, EagerError> {
        if !self.is_given(input) || self.shape(input).is_empty() {
            return Ok(None);
        }
        Ok(Some(self.input(input)?.tensor().cast(DType::F64)?.to_vec()?))
    }

    /// The shape of an output.
    pub(crate) fn output_shape(&self, output: usize) -> &'a Shape {
        &self.call.record().outputs()[output].shape
    }

    /// The dtypes of the outputs that were computed.
    pub(crate) fn output_dtypes(&self) -> impl Iterator<Item = DType> {
        self.call.record().outputs().iter().map(|output| output.dtype)
    }

    /// Zeros of the shape and dtype of an input.
    pub(crate) fn zeros_like(&self, input: usize) -> Result<Var, EagerError> {
        zeros(self.shape(input), self.dtype(input))
    }

    /// Zeros of the shape and dtype of an output.
    pub(crate) fn zeros_like_output(&self, output: usize) -> Result<Var, EagerError> {
        zeros(self.output_shape(output), self.call.record().outputs()[output].dtype)
    }

    /// Whether gradients of these gradients are wanted, so that only recorded operations may be used.
    pub(crate) fn creates_graph(&self) -> bool {
        self.call.creates_graph()
    }

    fn recorded(&self, input: usize) -> &'a stratal_autograd::RecordedInput {
        let position = self.position(input).unwrap_or_else(|| panic!("input {input} was left out"));
        &self.call.record().inputs()[position]
    }

    /// Where the record has an input of the operator: those left out are not there.
    fn position(&self, input: usize) -> Option<usize> {
        match self.call.record().ints() {
            [] => (input < self.call.record().inputs().len()).then_some(input),
            [_, given] => (input < 64 && given >> input & 1 == 1)
                .then(|| (given & ((1_i64 << input).wrapping_sub(1))).count_ones() as usize),
            _ => None,
        }
    }

    fn unpack(&self, origin: SavedOrigin) -> Result<Var, EagerError> {
        let unpacked = self.call.saved_as(origin)?;
        let variable = Var((*unpacked).clone());
        self.held.borrow_mut().push(unpacked);
        Ok(variable)
    }
}

fn missing(input: usize) -> EagerError {
    EagerError::Unfit(format!("input {input} was left out"))
}

pub(crate) fn zeros(shape: &Shape, dtype: DType) -> Result<Var, EagerError> {
    let tensor = stratal_tensor::TensorOptions::new(dtype).zeroed(true).empty_of(*shape)?;
    Ok(Var::constant(tensor))
}

/// An operator with its derivative: what is looked up when one is applied, and the rule that the engine calls.
pub(crate) struct Registered {
    pub(crate) definition: &'static Definition,
    pub(crate) kind: OpKind,
    pub(crate) type_id: fn() -> std::any::TypeId,
    pub(crate) saves: fn(&dyn Operator, &Need<'_>) -> Saves,
    pub(crate) backward: fn(&dyn Operator, &Call<'_>) -> Result<Gradients, EagerError>,
    pub(crate) is_differentiable: bool,
}

impl Registered {
    pub(crate) const fn of<D: Derivative>(definition: &'static Definition, kind: &'static str) -> Self {
        Self {
            definition,
            kind: OpKind::new(kind),
            type_id: std::any::TypeId::of::<D>,
            saves: |operator, need| own::<D>(operator).map_or_else(|_| Saves::nothing(), |own| own.saves(need)),
            backward: |operator, call| own::<D>(operator)?.backward(call),
            is_differentiable: D::IS_DIFFERENTIABLE,
        }
    }
}

/// The operator as what it is.
fn own<D: Derivative>(operator: &dyn Operator) -> Result<&D, EagerError> {
    let operator: &dyn Any = operator;
    operator.downcast_ref().ok_or_else(|| EagerError::Unfit("the operator is not of the type of its rule".into()))
}

/// What the record keeps of the operator.
pub(crate) struct Applied(pub(crate) Arc<dyn Operator>);

/// The rule that the engine calls.
pub(crate) struct RuleOf(pub(crate) &'static Registered);

impl Rule for RuleOf {
    fn backward(&self, call: &RuleCall<'_>) -> Result<InputGradients, RuleError> {
        let applied = call.record().attributes::<Applied>();
        let applied = applied.ok_or_else(|| EagerError::Unfit("the record holds no operator".into()))?;
        let call_of_rule = Call::new(call);
        let gradients = (self.0.backward)(&*applied.0, &call_of_rule).map_err(|error| of_rule(error, call))?;
        // Rules may end their list before inputs that have no gradient.
        let given = gradients.0.into_iter().chain(std::iter::repeat(None)).take(call_of_rule.input_count()).enumerate();
        let by_position = given.filter(|&(input, _)| call_of_rule.is_given(input));
        Ok(by_position.map(|(_, gradient)| gradient.map(|gradient| gradient.0)).collect())
    }

    fn is_differentiable(&self) -> bool {
        self.0.is_differentiable
    }
}

/// What went wrong with a value that this very rule had saved names the operation already; all else gets its name.
fn of_rule(error: EagerError, call: &RuleCall<'_>) -> RuleError {
    match error {
        EagerError::Autograd(error) if matches!(*error, AutogradError::Saved { op, .. } if op == call.record().op()) => {
            (*error).into()
        }
        error => error.into(),
    }
}

/// The gradients of an operator that is written in terms of others: computes it again in that way, and goes back through that.
///
/// It takes all inputs that are there to be saved. What is computed twice is paid for once more, so this is for operators that
/// are rare or long.
pub(crate) fn by_composition(
    call: &Call<'_>,
    composition: impl FnOnce(&[Option<Var>]) -> Result<Vec<Var>, EagerError>,
) -> Result<Gradients, EagerError> {
    use stratal_autograd::{GradOptions, Output, enable_grad};

    let count = call.input_count();
    let create_graph = call.creates_graph();
    enable_grad(|| {
        // Inputs may depend on each other. Behind a node of its own, each has only the gradient of its own place.
        let separate = |input: usize| -> Result<Option<Var>, EagerError> {
            if !call.is_given(input) {
                return Ok(None);
            }
            let saved = call.input(input)?;
            Ok(Some(match (call.needs(input), create_graph) {
                (false, _) => saved.detach(),
                (true, false) => saved.detach().with_requires_grad()?,
                (true, true) => saved.alias()?,
            }))
        };
        let inputs = (0..count).map(separate).collect::<Result<Vec<_>, _>>()?;
        let outputs = composition(&inputs)?;
        let gradients: Vec<_> = (0..outputs.len()).map(|output| call.output_gradient(output)).collect();
        let given: Vec<_> = outputs
            .iter()
            .zip(&gradients)
            .filter(|(output, _)| output.requires_grad())
            .filter_map(|(output, gradient)| Some(Output::with_gradient(&output.0, gradient.as_ref()?.0.clone())))
            .collect();
        let needed: Vec<usize> = (0..count).filter(|&input| call.needs(input)).collect();
        let wanted: Vec<_> = needed.iter().filter_map(|&input| Some(&inputs[input].as_ref()?.0)).collect();
        let options = GradOptions { create_graph, allow_unreachable: true, ..GradOptions::default() };
        let found = if given.is_empty() {
            vec![None; wanted.len()]
        } else {
            crate::engine()?.grad(&given, &wanted, options)?
        };
        let mut result = Gradients(smallvec![None; count]);
        for (&input, gradient) in needed.iter().zip(found) {
            result.0[input] = Some(match gradient {
                Some(gradient) => Var(gradient),
                None => call.zeros_like(input)?,
            });
        }
        Ok(result)
    })
}
