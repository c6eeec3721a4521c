//! `Engine`: the rules and the way to add, and with them backward.

use std::fmt;

use stratal_tensor::Tensor;

use crate::{
    Accumulate, AutogradError, Place, Rules, Variable,
    check::check_gradient,
    plan::{Demands, Plan, Target, Wanted},
    set_grad_enabled, slot,
    walk::{self, Manner, Sum, Walk},
};

/// Goes backward through graphs, by the rules it was given.
///
/// A walk visits each record that leads from an output to something a gradient is wanted for, once, after all its
/// users; the order follows from the graph alone, so equal runs give equal bits. It needs no stack, however deep the
/// graph is. As soon as the rule of a record has run, the record lets go of what it saved, unless the graph is retained.
///
/// # When a walk fails
/// No slot is written, and no gradient returned. A released graph, an operation without a rule, a seed that does not
/// fit and an unreachable input are found before the first rule runs, and lose nothing. So do tensors overwritten
/// before the walk began: it keeps all saved tensors then, until the last rule has run. Any other failure (of a rule, a
/// hook or an accumulation, or by panicking) leaves the records that were visited before it released, and the one that
/// it happened in, with all behind it, as they were. A walk that retains the graph never loses anything.
///
/// # Threads
/// Graphs may share records and slots, and be walked by several threads. Each record is released once: if two walks that
/// do not retain the graph meet, one of them finds it released and fails (both may, if each was first somewhere). Slots
/// take the sum of all walks that succeed, whatever their order.
pub struct Engine {
    rules: Rules,
    accumulate: Box<dyn Accumulate>,
}

/// A variable that a walk starts at.
#[derive(Debug, Clone)]
pub struct Output<'a> {
    variable: &'a Variable,
    seed: Option<Variable>,
}

/// How [`Engine::backward_from`] treats the graph.
#[derive(Debug, Clone, Copy, Default)]
pub struct BackwardOptions {
    /// Whether records keep what they saved, so that the graph can be walked again.
    pub retain_graph: bool,
}

/// How [`Engine::grad`] treats the graph, and inputs that the outputs do not depend on.
#[derive(Debug, Clone, Copy, Default)]
pub struct GradOptions {
    /// Whether records keep what they saved, so that the graph can be walked again.
    pub retain_graph: bool,
    /// Whether the gradients are part of a graph themselves, for gradients of gradients. It retains the graph, and
    /// takes rules that are [differentiable](crate::Rule::is_differentiable).
    pub create_graph: bool,
    /// Whether an input that the outputs do not depend on, or a constant, has no gradient rather than being an error.
    pub allow_unreachable: bool,
}

impl<'a> Output<'a> {
    /// A variable of one element, whose gradient is 1.
    pub fn new(variable: &'a Variable) -> Self {
        Self { variable, seed: None }
    }

    /// A variable with a gradient of its shape and dtype to start with. In a walk that creates a graph it may be a
    /// part of one.
    ///
    /// It is not copied: a slot may come to share its buffer, so make a new one rather than to overwrite it.
    pub fn with_gradient(variable: &'a Variable, gradient: impl Into<Variable>) -> Self {
        Self { variable, seed: Some(gradient.into()) }
    }
}

impl<'a> From<&'a Variable> for Output<'a> {
    fn from(variable: &'a Variable) -> Self {
        Self::new(variable)
    }
}

impl Engine {
    /// An engine with these rules, which adds gradients in this way.
    pub fn new(rules: Rules, accumulate: impl Accumulate + 'static) -> Self {
        Self { rules, accumulate: Box::new(accumulate) }
    }

    /// The rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Adds the gradient of `output`, which has one element, to the slots of all leaves it depends on, and releases the
    /// graph.
    ///
    /// # Errors
    /// As for [`backward_from`](Self::backward_from).
    pub fn backward(&self, output: &Variable) -> Result<(), AutogradError> {
        self.backward_from(&[output.into()], BackwardOptions::default())
    }

    /// Adds the gradient of the outputs, weighted by the gradients they start with, to the slots of all leaves they
    /// depend on: to all of them, or if it fails to none.
    ///
    /// # Errors
    /// [`OutputWithoutGradient`](AutogradError::OutputWithoutGradient), [`NoSeed`](AutogradError::NoSeed), or a seed of
    /// [`WrongShape`](AutogradError::WrongShape) or [`WrongDType`](AutogradError::WrongDType);
    /// [`Released`](AutogradError::Released), [`NoRule`](AutogradError::NoRule); and whatever goes wrong in rules, hooks
    /// and accumulation, by the name of the operation. The [engine's page](Self#when-a-walk-fails) says what is left.
    pub fn backward_from(&self, outputs: &[Output<'_>], options: BackwardOptions) -> Result<(), AutogradError> {
        let manner = Manner { retains_graph: options.retain_graph, creates_graph: false };
        let _scope = set_grad_enabled(false);
        let (plan, targets) = self.plan(outputs, &Wanted::EveryLeaf, manner)?;
        let mut walk = self.start(&plan, outputs, &targets, manner)?;
        walk.run()?;
        let additions: Vec<_> =
            walk.into_leaf_gradients().map(|(slot, gradient)| (slot, gradient.into_tensor())).collect();
        slot::commit(&additions, |before, gradient| {
            let before = Sum { gradient: Variable::constant(before.clone()), is_own: false };
            let term = Variable::constant(gradient.clone());
            let sum = walk::add(&*self.accumulate, manner, before, &term, Place::Leaf)?;
            Ok(sum.gradient.into_tensor())
        })
    }

    /// The gradients of the outputs with respect to some variables, leaves or not, in the order of these. It touches no
    /// slots, and visits only records that lead to them.
    ///
    /// # Errors
    /// As for [`backward_from`](Self::backward_from); [`Unreachable`](AutogradError::Unreachable) for an input that the
    /// outputs do not depend on, and [`InputWithoutGradient`](AutogradError::InputWithoutGradient) for a constant,
    /// unless that is allowed; and [`NotDifferentiable`](AutogradError::NotDifferentiable) and
    /// [`SumNotRecorded`](AutogradError::SumNotRecorded) if a graph is to be created through a rule that is not
    /// differentiable, or a sum that does not record.
    pub fn grad(
        &self,
        outputs: &[Output<'_>],
        inputs: &[&Variable],
        options: GradOptions,
    ) -> Result<Vec<Option<Variable>>, AutogradError> {
        let GradOptions { retain_graph, create_graph, allow_unreachable } = options;
        let manner = Manner { retains_graph: retain_graph || create_graph, creates_graph: create_graph };
        let _scope = set_grad_enabled(create_graph);
        let (plan, targets) = self.plan(outputs, &Wanted::of(inputs), manner)?;
        let wanted: Vec<Target> = inputs.iter().map(|input| plan.target_of(input.edge())).collect();
        if let Some(input) = wanted.iter().position(|&target| target == Target::Nowhere && !allow_unreachable) {
            let is_constant = !inputs[input].requires_grad();
            return Err(if is_constant {
                AutogradError::InputWithoutGradient { input }
            } else {
                AutogradError::Unreachable { input }
            });
        }
        let mut walk = self.start(&plan, outputs, &targets, manner)?;
        walk.run()?;
        Ok(wanted.into_iter().map(|target| walk.gradient_at(target)).collect())
    }

    fn plan<'a>(
        &'a self,
        outputs: &'a [Output<'_>],
        wanted: &Wanted,
        manner: Manner,
    ) -> Result<(Plan<'a>, Vec<Target>), AutogradError> {
        for (index, Output { variable, seed }) in outputs.iter().enumerate() {
            if !variable.requires_grad() {
                return Err(AutogradError::OutputWithoutGradient { output: index });
            }
            match seed {
                Some(seed) => {
                    check_gradient(seed.tensor(), variable.shape(), variable.dtype(), Place::Seed { index })?;
                }
                None if variable.shape().count() == 1 => {}
                None => return Err(AutogradError::NoSeed { output: index, shape: *variable.shape() }),
            }
        }
        let edges = outputs.iter().map(|output| output.variable.edge());
        Plan::new(edges, wanted, Demands { rules: &self.rules, creates_graph: manner.creates_graph })
    }

    /// A walk with the seeds of all outputs.
    fn start<'p, 'a>(
        &'p self,
        plan: &'p Plan<'a>,
        outputs: &[Output<'_>],
        targets: &[Target],
        manner: Manner,
    ) -> Result<Walk<'p, 'a>, AutogradError> {
        let mut walk = Walk::new(plan, &*self.accumulate, manner);
        for (Output { variable, seed }, &target) in outputs.iter().zip(targets) {
            let seed = match seed {
                Some(seed) => seed.clone(),
                None => one(variable)?.into(),
            };
            walk.seed(target, seed)?;
        }
        Ok(walk)
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Engine").field("rules", &self.rules).finish_non_exhaustive()
    }
}

/// The gradient of one element with respect to itself.
fn one(variable: &Variable) -> Result<Tensor, AutogradError> {
    let extents: Vec<i64> = variable.shape().extents().iter().map(|&extent| extent.into()).collect();
    Ok(Tensor::ones(&extents, variable.dtype())?)
}
