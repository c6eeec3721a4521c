//! `Edge`: where the gradient of a value goes.

use std::{fmt, sync::Arc};

use crate::{BackwardRecord, GradientSlot};

/// Where the gradient of a value goes: nowhere, into the slot of a leaf, or on to the record that made the value.
///
/// An edge is what makes a tensor a differentiable [`Variable`](crate::Variable), and what a record keeps of each
/// input.
#[derive(Clone, Default)]
pub struct Edge {
    target: EdgeTarget,
}

/// The three kinds of edges.
#[derive(Clone, Default)]
pub(crate) enum EdgeTarget {
    #[default]
    Nowhere,
    Leaf(Arc<GradientSlot>),
    /// An output of the record, by its index, which the record has.
    Output(Arc<BackwardRecord>, u32),
}

impl Edge {
    /// The edge of a value that needs no gradient.
    pub const NONE: Self = Self { target: EdgeTarget::Nowhere };

    /// The edge of a leaf, whose gradient is kept in `slot`.
    pub(crate) fn leaf(slot: Arc<GradientSlot>) -> Self {
        Self { target: EdgeTarget::Leaf(slot) }
    }

    /// The edge of an output of `record`, which has at least `index + 1` of them.
    pub(crate) fn output(record: Arc<BackwardRecord>, index: usize) -> Self {
        debug_assert!(index < record.outputs().len());
        Self { target: EdgeTarget::Output(record, index as u32) }
    }

    /// Whether a gradient is wanted at all.
    pub fn requires_grad(&self) -> bool {
        !matches!(self.target, EdgeTarget::Nowhere)
    }

    /// The slot, if this is the edge of a leaf.
    pub fn slot(&self) -> Option<&Arc<GradientSlot>> {
        match &self.target {
            EdgeTarget::Leaf(slot) => Some(slot),
            _ => None,
        }
    }

    /// The record that made the value, and which of its outputs the value is. Nothing for leaves.
    pub fn record(&self) -> Option<(&Arc<BackwardRecord>, usize)> {
        match &self.target {
            EdgeTarget::Output(record, index) => Some((record, *index as usize)),
            _ => None,
        }
    }

    pub(crate) fn target(&self) -> &EdgeTarget {
        &self.target
    }

    pub(crate) fn into_target(self) -> EdgeTarget {
        self.target
    }
}

impl fmt::Debug for Edge {
    /// Names the record without what is behind it: a graph may be a million records deep.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.target {
            EdgeTarget::Nowhere => formatter.write_str("none"),
            EdgeTarget::Leaf(_) => formatter.write_str("leaf"),
            EdgeTarget::Output(record, index) => write!(formatter, "output {index} of {}", record.op()),
        }
    }
}
