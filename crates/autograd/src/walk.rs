//! The walk: gradients go from the outputs to what they are wanted for, one record after the other.

mod frontier;

use std::sync::Arc;

use rustc_hash::FxHashMap;

pub(crate) use self::frontier::Sum;
use self::frontier::{Complete, Frontier};
use crate::{
    Accumulate, AutogradError, GradientSlot, InputGradients, Place, Rule, RuleCall, RuleError, Variable,
    check::check_gradient,
    hook::Hooks,
    plan::{Node, Plan, Target},
    record::LentSlots,
};

/// How a walk treats the graph.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Manner {
    pub(crate) retains_graph: bool,
    pub(crate) creates_graph: bool,
}

/// A walk under way. What it has found is its own until it is through: no slot is written before.
pub(crate) struct Walk<'p, 'a> {
    plan: &'p Plan<'a>,
    accumulate: &'p dyn Accumulate,
    manner: Manner,
    frontier: Frontier,
    leaves: Vec<Option<Sum>>,
    /// The complete gradients of outputs of records that were wanted.
    found: FxHashMap<Target, Variable>,
}

impl<'p, 'a> Walk<'p, 'a> {
    pub(crate) fn new(plan: &'p Plan<'a>, accumulate: &'p dyn Accumulate, manner: Manner) -> Self {
        let mut leaves = Vec::new();
        leaves.resize_with(plan.leaves().len(), || None);
        let frontier = Frontier::new(plan.node_count());
        Self { plan, accumulate, manner, frontier, leaves, found: FxHashMap::default() }
    }

    /// Starts with the gradient of an output, which has its shape and dtype.
    pub(crate) fn seed(&mut self, target: Target, gradient: Variable) -> Result<(), AutogradError> {
        self.send(target, gradient)
    }

    /// Visits all records.
    pub(crate) fn run(&mut self) -> Result<(), AutogradError> {
        // A tensor that is overwritten or gone already may make a rule fail. Then nothing is let go of before all rules
        // have run, so that the failure loses nothing.
        let keeps_slots = self.manner.retains_graph || self.plan.is_spoiled();
        for (index, node) in self.plan.visits() {
            let Some(gradients) = self.frontier.take(index) else { continue };
            let gradients = self.complete(index, node, gradients)?;
            let Some(rule) = node.rule else { continue };
            let given = self.apply(node, rule, &gradients, keeps_slots)?;
            drop(gradients);
            for (&target, gradient) in self.plan.targets_of(node).iter().zip(given.gradients) {
                if let Some(gradient) = gradient.filter(|_| target != Target::Nowhere) {
                    self.send(target, gradient)?;
                }
            }
        }
        self.complete_leaves()?;
        if keeps_slots && !self.manner.retains_graph {
            for (_, node) in self.plan.visits().filter(|(_, node)| node.rule.is_some()) {
                node.record.release()?;
            }
        }
        Ok(())
    }

    /// The complete gradient that was found at a target, if it was wanted.
    pub(crate) fn gradient_at(&self, target: Target) -> Option<Variable> {
        match target {
            Target::Nowhere => None,
            Target::Leaf(leaf) => self.leaves[leaf as usize].as_ref().map(|sum| sum.gradient.clone()),
            Target::Output { .. } => self.found.get(&target).cloned(),
        }
    }

    /// The complete gradients of all leaves.
    pub(crate) fn into_leaf_gradients(self) -> impl Iterator<Item = (&'a Arc<GradientSlot>, Variable)> {
        let sums = self.plan.leaves().iter().copied().zip(self.leaves);
        sums.filter_map(|(slot, sum)| Some((slot, sum?.gradient)))
    }

    /// The gradients of a record's outputs as its rule sees them: all users have given theirs, and hooks have run.
    fn complete(&mut self, index: u32, node: &Node<'a>, sums: Complete) -> Result<Complete, AutogradError> {
        let mut gradients = sums;
        for (output, gradient) in gradients.iter_mut().enumerate() {
            let Some(complete) = gradient.take() else { continue };
            let place = Place::Output { op: node.record.op(), index: output };
            let complete = self.run_hooks(node.record.hooks(), output, complete, place)?;
            let target = Target::Output { node: index, output: output as u32 };
            if self.plan.is_wanted(target) {
                self.found.insert(target, complete.clone());
            }
            *gradient = Some(complete);
        }
        Ok(gradients)
    }

    /// Runs the rule of a record. Right after it, the saved tensors go.
    fn apply(
        &self,
        node: &Node<'a>,
        rule: &dyn Rule,
        gradients: &[Option<Variable>],
        keeps_slots: bool,
    ) -> Result<InputGradients, AutogradError> {
        let (shared, lent);
        let slots = if keeps_slots {
            lent = None;
            shared = node.record.share_slots()?;
            &shared[..]
        } else {
            lent = Some(node.record.lend_slots()?);
            lent.as_ref().map(LentSlots::as_slice).unwrap_or_default()
        };
        let call = RuleCall {
            record: node.record,
            slots,
            gradients,
            targets: self.plan.targets_of(node),
            creates_graph: self.manner.creates_graph,
        };
        let given = rule.backward(&call).map_err(|error| of_rule(node, error))?;
        check_given(node, &call, &given)?;
        if let Some(lent) = lent {
            lent.spend();
        }
        Ok(given)
    }

    /// Adds a gradient to those that came to its target before.
    fn send(&mut self, target: Target, gradient: Variable) -> Result<(), AutogradError> {
        // Outside of a graph a rule may still return a variable of the caller's.
        let gradient = if self.manner.creates_graph { gradient } else { gradient.into_tensor().into() };
        let (sum, place) = match target {
            Target::Nowhere => return Ok(()),
            Target::Leaf(leaf) => (&mut self.leaves[leaf as usize], Place::Leaf),
            Target::Output { node, output } => {
                let record = self.plan.node(node).record;
                let place = Place::Output { op: record.op(), index: output as usize };
                (self.frontier.sum(node, output as usize, record.outputs().len()), place)
            }
        };
        *sum = Some(match sum.take() {
            None => Sum { gradient, is_own: false },
            Some(before) => add(self.accumulate, self.manner, before, &gradient, place)?,
        });
        Ok(())
    }

    /// Runs the hooks of all leaves.
    fn complete_leaves(&mut self) -> Result<(), AutogradError> {
        for (index, slot) in self.plan.leaves().iter().enumerate() {
            if let Some(Sum { gradient, .. }) = self.leaves[index].take() {
                let gradient = self.run_hooks(slot.hooks(), 0, gradient, Place::Leaf)?;
                self.leaves[index] = Some(Sum { gradient, is_own: false });
            }
        }
        Ok(())
    }

    fn run_hooks(
        &self,
        hooks: &Hooks,
        output: usize,
        gradient: Variable,
        place: Place,
    ) -> Result<Variable, AutogradError> {
        let mut gradient = gradient;
        for hook in hooks.of(output) {
            let replaced = hook.call(&gradient).map_err(|source| AutogradError::HookFailed { place, source })?;
            if let Some(replacement) = replaced {
                check_gradient(replacement.tensor(), gradient.shape(), gradient.dtype(), place)?;
                gradient = if self.manner.creates_graph { replacement } else { replacement.detach() };
            }
        }
        Ok(gradient)
    }
}

/// Adds a gradient to a sum, in place where the sum is the walk's own.
pub(crate) fn add(
    accumulate: &dyn Accumulate,
    manner: Manner,
    sum: Sum,
    term: &Variable,
    place: Place,
) -> Result<Sum, AutogradError> {
    let (shape, dtype) = (*sum.gradient.shape(), sum.gradient.dtype());
    let leads_on = sum.gradient.requires_grad() || term.requires_grad();
    let total = if sum.is_own && !manner.creates_graph {
        accumulate.add_to_sum(sum.gradient, term)
    } else {
        accumulate.add(&sum.gradient, term)
    };
    let gradient = total.map_err(|source| AutogradError::AccumulationFailed { place, source })?;
    check_gradient(gradient.tensor(), &shape, dtype, place)?;
    if manner.creates_graph && leads_on && !gradient.requires_grad() {
        return Err(AutogradError::SumNotRecorded { place });
    }
    Ok(Sum { gradient, is_own: true })
}

/// Checks what a rule has returned for the inputs that need a gradient.
fn check_given(node: &Node<'_>, call: &RuleCall<'_>, given: &InputGradients) -> Result<(), AutogradError> {
    let op = node.record.op();
    let inputs = node.record.inputs();
    if given.len() != inputs.len() {
        return Err(AutogradError::WrongCount { op, expected: inputs.len(), given: given.len() });
    }
    for (index, (input, gradient)) in inputs.iter().zip(&given.gradients).enumerate() {
        match gradient {
            _ if !call.needs(index) => {}
            None => return Err(AutogradError::MissingGradient { op, input: index }),
            Some(gradient) => {
                check_gradient(gradient.tensor(), &input.shape, input.dtype, Place::Input { op, index })?;
            }
        }
    }
    Ok(())
}

/// What a rule has failed with. Errors of this crate, as from unpacking, name the operation themselves.
fn of_rule(node: &Node<'_>, error: RuleError) -> AutogradError {
    let op = node.record.op();
    error.downcast::<AutogradError>().map_or_else(|source| AutogradError::RuleFailed { op, source }, |error| *error)
}
