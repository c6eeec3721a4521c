//! The plan of a walk: which records it visits in which order, found without touching any of them.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{AutogradError, BackwardRecord, Edge, GradientSlot, Rule, Rules, Variable, edge::EdgeTarget};

/// The records between the outputs and what gradients are wanted for, in an order to visit them.
///
/// One depth-first pass from the outputs finds it. A record *finishes* when all behind it have, so in the opposite of
/// the order of finishing each record comes after all its users. The order follows from the graph and from the order of
/// outputs and inputs, and from nothing else: addresses only answer whether a record was met before.
pub(crate) struct Plan<'a> {
    nodes: Vec<Node<'a>>,
    /// The targets of each node's inputs, node by node.
    targets: Vec<Target>,
    /// The nodes in the order of finishing.
    finished: Vec<u32>,
    leaves: Vec<&'a Arc<GradientSlot>>,
    /// Whether a saved tensor on the way is overwritten or gone already.
    is_spoiled: bool,
    /// The outputs of records that gradients are wanted for and that are on the way.
    reached: FxHashSet<Target>,
    /// The numbers of records and leaves by address.
    met: FxHashMap<usize, u32>,
}

/// One record in a plan.
pub(crate) struct Node<'a> {
    pub(crate) record: &'a Arc<BackwardRecord>,
    /// The rule, if the record leads to something that gradients are wanted for.
    pub(crate) rule: Option<&'a dyn Rule>,
    /// Where its targets begin.
    first_target: usize,
}

/// Where the gradient of an input goes in this walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Target {
    Nowhere,
    /// A leaf, by its number in the plan.
    Leaf(u32),
    /// An output of a record, by its number in the plan.
    Output {
        node: u32,
        output: u32,
    },
}

/// What gradients are wanted for.
pub(crate) enum Wanted {
    EveryLeaf,
    /// Leaves by address, and outputs of records by the record's address and their index.
    These {
        leaves: FxHashSet<usize>,
        outputs: FxHashSet<(usize, u32)>,
    },
}

/// What must hold for a plan to be made.
#[derive(Clone, Copy)]
pub(crate) struct Demands<'a> {
    pub(crate) rules: &'a Rules,
    pub(crate) creates_graph: bool,
}

impl Wanted {
    /// The gradients of these variables. Those that require none are wanted in vain.
    pub(crate) fn of(variables: &[&Variable]) -> Self {
        let (mut leaves, mut outputs) = (FxHashSet::default(), FxHashSet::default());
        for variable in variables {
            match variable.edge().target() {
                EdgeTarget::Nowhere => {}
                EdgeTarget::Leaf(slot) => drop(leaves.insert(address(slot))),
                EdgeTarget::Output(record, output) => drop(outputs.insert((address(record), *output))),
            }
        }
        Self::These { leaves, outputs }
    }

    fn has_leaf(&self, slot: &Arc<GradientSlot>) -> bool {
        match self {
            Self::EveryLeaf => true,
            Self::These { leaves, .. } => leaves.contains(&address(slot)),
        }
    }

    fn has_output(&self, record: &Arc<BackwardRecord>, output: u32) -> bool {
        match self {
            Self::EveryLeaf => false,
            Self::These { outputs, .. } => outputs.contains(&(address(record), output)),
        }
    }
}

impl<'a> Plan<'a> {
    /// Finds the plan, and the target of each output.
    ///
    /// # Errors
    /// [`AutogradError::Released`], [`AutogradError::NoRule`] and [`AutogradError::NotDifferentiable`] for the first
    /// record on the way that a walk could not pass.
    pub(crate) fn new(
        outputs: impl Iterator<Item = &'a Edge>,
        wanted: &Wanted,
        demands: Demands<'a>,
    ) -> Result<(Self, Vec<Target>), AutogradError> {
        let plan = Self {
            nodes: Vec::new(),
            targets: Vec::new(),
            finished: Vec::new(),
            leaves: Vec::new(),
            is_spoiled: false,
            reached: FxHashSet::default(),
            met: FxHashMap::default(),
        };
        let mut search = Search { plan, wanted, demands, path: Vec::new() };
        let mut targets = Vec::new();
        for edge in outputs {
            let target = search.meet(edge);
            search.explore()?;
            targets.push(search.plan.unless_in_vain(target));
        }
        Ok((search.plan, targets))
    }

    /// The nodes in the order to visit them: each after all its users.
    pub(crate) fn visits(&self) -> impl Iterator<Item = (u32, &Node<'a>)> {
        self.finished.iter().rev().map(|&index| (index, &self.nodes[index as usize]))
    }

    /// Where the gradients of a node's inputs go.
    pub(crate) fn targets_of(&self, node: &Node<'a>) -> &[Target] {
        &self.targets[node.first_target..][..node.record.inputs().len()]
    }

    pub(crate) fn node(&self, index: u32) -> &Node<'a> {
        &self.nodes[index as usize]
    }

    pub(crate) fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The leaves that gradients are wanted for, in the order they were met.
    pub(crate) fn leaves(&self) -> &[&'a Arc<GradientSlot>] {
        &self.leaves
    }

    pub(crate) fn is_spoiled(&self) -> bool {
        self.is_spoiled
    }

    /// The target of an edge that gradients are wanted for.
    pub(crate) fn target_of(&self, edge: &Edge) -> Target {
        let met = |address| self.met.get(&address).copied();
        let target = match edge.target() {
            EdgeTarget::Nowhere => None,
            EdgeTarget::Leaf(slot) => met(address(slot)).map(Target::Leaf),
            EdgeTarget::Output(record, output) => {
                let target = met(address(record)).map(|node| Target::Output { node, output: *output });
                // Another output of the record may be all that is used.
                target.filter(|&target| self.is_wanted(target))
            }
        };
        target.unwrap_or(Target::Nowhere)
    }

    /// Whether the gradient of an output of a record is asked for itself.
    pub(crate) fn is_wanted(&self, output: Target) -> bool {
        self.reached.contains(&output)
    }

    /// The target, if something that is wanted is there or behind it. The node of it has finished.
    fn unless_in_vain(&self, target: Target) -> Target {
        match target {
            Target::Output { node, .. } if self.nodes[node as usize].rule.is_none() && !self.is_wanted(target) => {
                Target::Nowhere
            }
            target => target,
        }
    }
}

/// A plan in the making.
struct Search<'a, 'w> {
    plan: Plan<'a>,
    wanted: &'w Wanted,
    demands: Demands<'a>,
    /// The records being explored, each with the input to look at next. This stack is what a recursion would have.
    path: Vec<(u32, u32)>,
}

impl<'a> Search<'a, '_> {
    /// The target of an edge. A record that was not met before is put on the path.
    fn meet(&mut self, edge: &'a Edge) -> Target {
        match edge.target() {
            EdgeTarget::Nowhere => Target::Nowhere,
            EdgeTarget::Leaf(slot) if !self.wanted.has_leaf(slot) => Target::Nowhere,
            EdgeTarget::Leaf(slot) => {
                let Plan { leaves, met, .. } = &mut self.plan;
                Target::Leaf(*met.entry(address(slot)).or_insert_with(|| {
                    leaves.push(slot);
                    leaves.len() as u32 - 1
                }))
            }
            EdgeTarget::Output(record, output) => {
                let Self { plan: Plan { nodes, targets, met, reached, .. }, path, wanted, .. } = self;
                let node = *met.entry(address(record)).or_insert_with(|| {
                    let index = nodes.len() as u32;
                    let first_target = targets.len();
                    nodes.push(Node { record, rule: None, first_target });
                    targets.resize(first_target + record.inputs().len(), Target::Nowhere);
                    path.push((index, 0));
                    index
                });
                let target = Target::Output { node, output: *output };
                if wanted.has_output(record, *output) {
                    reached.insert(target);
                }
                target
            }
        }
    }

    /// Follows the path to its end, until everything behind it has finished.
    fn explore(&mut self) -> Result<(), AutogradError> {
        while let Some((index, next)) = self.path.last_mut() {
            let index = *index;
            let input = *next as usize;
            *next += 1;
            let Node { record, first_target, .. } = self.plan.nodes[index as usize];
            match record.inputs().get(input) {
                Some(input_record) => self.plan.targets[first_target + input] = self.meet(&input_record.edge),
                None => {
                    self.path.pop();
                    self.finish(index)?;
                }
            }
        }
        Ok(())
    }

    /// All behind a record has finished: whether its rule has to run is known now.
    fn finish(&mut self, index: u32) -> Result<(), AutogradError> {
        let plan = &mut self.plan;
        let Node { record, first_target, .. } = plan.nodes[index as usize];
        let mut leads_on = false;
        for position in first_target..first_target + record.inputs().len() {
            let target = plan.unless_in_vain(plan.targets[position]);
            plan.targets[position] = target;
            leads_on |= target != Target::Nowhere;
        }
        if leads_on {
            let rule = self.demands.rules.get(record.op())?;
            if self.demands.creates_graph && !rule.is_differentiable() {
                return Err(AutogradError::NotDifferentiable { op: record.op() });
            }
            plan.is_spoiled |= record.is_spoiled()?;
            plan.nodes[index as usize].rule = Some(rule);
        }
        plan.finished.push(index);
        Ok(())
    }
}

/// Answers whether two handles are of one thing; nothing else is done with it.
fn address<T>(shared: &Arc<T>) -> usize {
    Arc::as_ptr(shared).addr()
}
