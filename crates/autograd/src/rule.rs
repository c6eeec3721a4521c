//! The seams to the crates above: `Rule`, the derivative of an operation, and `Accumulate`, the sum of gradients.

use std::{error::Error, fmt, sync::Arc};

use smallvec::SmallVec;

use crate::{AutogradError, BackwardRecord, Edge, SavedOrigin, SavedTensor, Unpacked, Variable, plan::Target};

/// What goes wrong in a rule, a hook or an accumulation: any error.
pub type RuleError = Box<dyn Error + Send + Sync>;

/// The derivative of an operation: from the gradients of its outputs to those of its inputs.
///
/// Any function of this form is a rule. One that can itself be differentiated computes with operations that record, and
/// says so by [`Differentiable`].
pub trait Rule: Send + Sync {
    /// Computes the gradient of each input, `None` where [`RuleCall::needs`] says that none is needed.
    ///
    /// # Errors
    /// Whatever goes wrong; the walk ends with it. Errors of [`RuleCall::saved`] may be passed on as they are.
    fn backward(&self, call: &RuleCall<'_>) -> Result<InputGradients, RuleError>;

    /// Whether the gradients that this rule returns have the right derivatives themselves.
    ///
    /// That takes operations that record, and no owned slot that was computed from inputs which require gradients. A
    /// walk that creates a graph refuses rules without it, since it would yield wrong numbers.
    fn is_differentiable(&self) -> bool {
        false
    }
}

impl<F> Rule for F
where
    F: Fn(&RuleCall<'_>) -> Result<InputGradients, RuleError> + Send + Sync,
{
    fn backward(&self, call: &RuleCall<'_>) -> Result<InputGradients, RuleError> {
        self(call)
    }
}

/// A rule whose results have the right derivatives themselves; see [`Rule::is_differentiable`].
#[derive(Debug, Clone, Copy)]
pub struct Differentiable<R>(pub R);

impl<R: Rule> Rule for Differentiable<R> {
    fn backward(&self, call: &RuleCall<'_>) -> Result<InputGradients, RuleError> {
        self.0.backward(call)
    }

    fn is_differentiable(&self) -> bool {
        true
    }
}

/// How gradients that meet are added.
///
/// It is asked in an order that the graph alone decides, so equal runs give equal bits.
pub trait Accumulate: Send + Sync {
    /// The sum of two gradients of the same shape and dtype, as a new value: either may share its buffer with others.
    ///
    /// It is an operation that [records](crate::Recording), and so needs a rule of its own, if gradients of gradients
    /// are wanted. A walk that creates a graph refuses a sum that is no part of it.
    ///
    /// # Errors
    /// Whatever goes wrong; the walk ends with it.
    fn add(&self, first: &Variable, second: &Variable) -> Result<Variable, RuleError>;

    /// Adds a term to a sum that an earlier call returned and nobody else has seen, and which may be written in place
    /// if that call made it anew. It is never part of a graph.
    ///
    /// # Errors
    /// Whatever goes wrong; the walk ends with it.
    fn add_to_sum(&self, sum: Variable, term: &Variable) -> Result<Variable, RuleError> {
        self.add(&sum, term)
    }
}

/// The gradients of the inputs of one operation, in their order.
///
/// ```
/// use stratal_autograd::{InputGradients, Variable};
/// use stratal_tensor::Tensor;
///
/// let gradient = Variable::constant(Tensor::scalar(1.0_f32)?);
/// let both_alike = InputGradients::from([gradient.clone(), gradient.clone()]);
/// let only_the_second = InputGradients::from([None, Some(gradient)]);
/// assert_eq!((both_alike.len(), only_the_second.len()), (2, 2));
/// # Ok::<(), stratal_tensor::TensorError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct InputGradients {
    pub(crate) gradients: SmallVec<[Option<Variable>; 2]>,
}

impl InputGradients {
    /// For how many inputs.
    pub fn len(&self) -> usize {
        self.gradients.len()
    }

    /// Whether it is for no input at all.
    pub fn is_empty(&self) -> bool {
        self.gradients.is_empty()
    }
}

impl<const N: usize> From<[Option<Variable>; N]> for InputGradients {
    fn from(gradients: [Option<Variable>; N]) -> Self {
        gradients.into_iter().collect()
    }
}

impl<const N: usize> From<[Variable; N]> for InputGradients {
    fn from(gradients: [Variable; N]) -> Self {
        gradients.into_iter().map(Some).collect()
    }
}

impl FromIterator<Option<Variable>> for InputGradients {
    fn from_iter<I: IntoIterator<Item = Option<Variable>>>(gradients: I) -> Self {
        Self { gradients: gradients.into_iter().collect() }
    }
}

/// What a rule is given: the record, the saved tensors, and the gradients of the outputs.
pub struct RuleCall<'a> {
    pub(crate) record: &'a Arc<BackwardRecord>,
    pub(crate) slots: &'a [Option<SavedTensor>],
    pub(crate) gradients: &'a [Option<Variable>],
    /// Where the gradient of each input goes in this walk.
    pub(crate) targets: &'a [Target],
    pub(crate) creates_graph: bool,
}

impl<'a> RuleCall<'a> {
    /// The record: shapes, dtypes and attributes.
    pub fn record(&self) -> &'a BackwardRecord {
        self.record
    }

    /// Whether this walk needs the gradient of an input. An input that requires gradients may still not be needed, when
    /// gradients with respect to something else were asked for.
    pub fn needs(&self, input: usize) -> bool {
        self.targets.get(input).is_some_and(|target| !matches!(target, Target::Nowhere))
    }

    /// The complete gradient of an output, or nothing if the output was not used; then it counts as zero.
    pub fn gradient(&self, output: usize) -> Option<&'a Variable> {
        self.gradients.get(output)?.as_ref()
    }

    /// The complete gradient of the only output.
    ///
    /// # Errors
    /// [`AutogradError::UnusedOutput`] if there is none, which an operation with one output never meets.
    pub fn only_gradient(&self) -> Result<&'a Variable, AutogradError> {
        self.gradient(0).ok_or(AutogradError::UnusedOutput { op: self.record.op(), output: 0 })
    }

    /// Whether this walk makes the gradients part of a graph themselves.
    pub fn creates_graph(&self) -> bool {
        self.creates_graph
    }

    /// Whether a slot has been filled.
    pub fn has_saved(&self, slot: usize) -> bool {
        self.slots.get(slot).is_some_and(Option::is_some)
    }

    /// What was saved in a slot, held open for reading while the rule runs.
    ///
    /// In a walk that creates a graph, it is the variable that it was: an input has the edge of that input, an output
    /// leads to this record.
    ///
    /// # Errors
    /// [`AutogradError::EmptySlot`] if there is nothing in it. [`AutogradError::Saved`] if what is in it was
    /// overwritten since, with both versions, or cannot be read.
    pub fn saved(&self, slot: usize) -> Result<Unpacked<'a>, AutogradError> {
        let op = self.record.op();
        let saved = self.slots.get(slot).and_then(Option::as_ref).ok_or(AutogradError::EmptySlot { op, slot })?;
        self.unpack(slot, saved)
    }

    /// The first slot that holds this: an input, an output or a tensor of its own, as [`saved`](Self::saved) gives it.
    ///
    /// # Errors
    /// [`AutogradError::NotSaved`] if no slot does; [`AutogradError::Saved`] as for [`saved`](Self::saved).
    pub fn saved_as(&self, origin: SavedOrigin) -> Result<Unpacked<'a>, AutogradError> {
        let mut filled = self.slots.iter().enumerate().filter_map(|(slot, saved)| Some((slot, saved.as_ref()?)));
        let found = filled.find(|(_, saved)| saved.origin() == origin);
        let (slot, saved) = found.ok_or(AutogradError::NotSaved { op: self.record.op(), origin })?;
        self.unpack(slot, saved)
    }

    fn unpack(&self, slot: usize, saved: &'a SavedTensor) -> Result<Unpacked<'a>, AutogradError> {
        let op = self.record.op();
        let edge = if self.creates_graph { self.edge_of(saved) } else { Edge::NONE };
        saved.unpack_with(edge).map_err(|source| AutogradError::Saved { op, slot, origin: saved.origin(), source })
    }

    fn edge_of(&self, saved: &SavedTensor) -> Edge {
        match saved.origin() {
            SavedOrigin::Input(index) => self.record.inputs()[index as usize].edge.clone(),
            SavedOrigin::Output(index) if self.record.outputs()[index as usize].dtype.is_float() => {
                Edge::output(Arc::clone(self.record), index as usize)
            }
            SavedOrigin::Output(_) | SavedOrigin::Owned => Edge::NONE,
        }
    }
}

impl fmt::Debug for RuleCall<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("RuleCall")
            .field("op", &self.record.op())
            .field("saved", &self.slots)
            .field("gradients", &self.gradients)
            .field("creates_graph", &self.creates_graph)
            .finish()
    }
}
