//! `Variable`: a tensor and the edge that its gradient takes.

mod write;

use std::{fmt, sync::Arc};

use stratal_tensor::{
    Tensor,
    base::{DType, Shape},
};

use crate::{AutogradError, BackwardRecord, Edge, GradientSlot, Hook, HookHandle, edge::EdgeTarget};

/// A tensor and the edge that its gradient takes: what rules and walks work on.
///
/// A clone is the same logical variable: it shares elements, place in the graph and gradient slot. A view of a
/// variable is an operation like any other. It shares elements only, and has an edge of its own.
#[derive(Clone)]
pub struct Variable {
    tensor: Tensor,
    edge: Edge,
}

impl Variable {
    /// A constant: a tensor that needs no gradient.
    pub fn constant(tensor: Tensor) -> Self {
        Self { tensor, edge: Edge::NONE }
    }

    /// A leaf: a tensor whose gradient is collected, in a slot of its own.
    ///
    /// # Errors
    /// [`AutogradError::NotFloat`] for a dtype that has no gradients, [`AutogradError::Blocked`] for a blocked tensor.
    pub fn leaf(tensor: Tensor) -> Result<Self, AutogradError> {
        check_differentiable(&tensor)?;
        let slot = Arc::new(GradientSlot::new(*tensor.shape(), tensor.dtype()));
        Ok(Self { tensor, edge: Edge::leaf(slot) })
    }

    /// The same elements as a new leaf with a slot of its own. This handle stays what it was.
    ///
    /// # Errors
    /// As [`leaf`](Self::leaf).
    pub fn with_requires_grad(&self) -> Result<Self, AutogradError> {
        Self::leaf(self.tensor.clone())
    }

    /// The same elements as a constant.
    pub fn detach(&self) -> Self {
        Self::constant(self.tensor.clone())
    }

    /// The tensor, as a plain handle: what is written through it is not refused, but found by the version check of
    /// whoever saved it.
    pub fn tensor(&self) -> &Tensor {
        &self.tensor
    }

    /// The tensor alone.
    pub fn into_tensor(self) -> Tensor {
        self.tensor
    }

    /// Where the gradient goes.
    pub fn edge(&self) -> &Edge {
        &self.edge
    }

    /// Whether the gradient goes anywhere.
    pub fn requires_grad(&self) -> bool {
        self.edge.requires_grad()
    }

    /// Whether no record made this variable.
    pub fn is_leaf(&self) -> bool {
        self.edge.record().is_none()
    }

    /// The record that made this variable, if one did.
    pub fn grad_fn(&self) -> Option<&Arc<BackwardRecord>> {
        self.edge.record().map(|(record, _)| record)
    }

    /// The gradient collected so far, if this is a leaf that has one. It is emptied, taken or replaced by way of the
    /// [slot](GradientSlot): `variable.edge().slot()`.
    pub fn gradient(&self) -> Option<Tensor> {
        self.edge.slot()?.get()
    }

    /// The extents.
    pub fn shape(&self) -> &Shape {
        self.tensor.shape()
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.tensor.dtype()
    }

    /// Has `hook` see each gradient of this variable once it is complete, and replace it if it returns another.
    ///
    /// Hooks run in the order of their registration, each on what the one before left. The hook stays for as long as
    /// the slot or record does, or until it is removed by the handle. It must not keep this variable alive, or
    /// neither is ever freed.
    ///
    /// # Errors
    /// [`AutogradError::NothingToHook`] if this variable needs no gradient.
    pub fn register_hook(&self, hook: impl Hook + 'static) -> Result<HookHandle, AutogradError> {
        match self.edge.target() {
            EdgeTarget::Nowhere => Err(AutogradError::NothingToHook),
            EdgeTarget::Leaf(slot) => Ok(slot.hooks().register(0, Arc::new(hook))),
            EdgeTarget::Output(record, index) => Ok(record.hooks().register(*index, Arc::new(hook))),
        }
    }

    pub(crate) fn new(tensor: Tensor, edge: Edge) -> Self {
        Self { tensor, edge }
    }
}

impl From<Tensor> for Variable {
    fn from(tensor: Tensor) -> Self {
        Self::constant(tensor)
    }
}

impl fmt::Debug for Variable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tensor, edge } = self;
        write!(formatter, "Variable {} {:?}, edge: {edge:?}", tensor.dtype(), tensor.shape())
    }
}

/// Refuses a tensor that cannot have a gradient.
pub(crate) fn check_differentiable(tensor: &Tensor) -> Result<(), AutogradError> {
    if !tensor.dtype().is_float() {
        Err(AutogradError::NotFloat { dtype: tensor.dtype() })
    } else if tensor.geometry().is_err() {
        Err(AutogradError::Blocked { layout: tensor.layout() })
    } else {
        Ok(())
    }
}
