//! `BackwardRecord`: what one operation leaves behind for backward.

use std::{
    any::Any,
    fmt, mem,
    sync::{Arc, Mutex},
};

use smallvec::SmallVec;
use stratal_tensor::base::{DType, Shape};

use crate::{AutogradError, Edge, OpKind, SavedTensor, edge::EdgeTarget, hook::Hooks, lock::lock};

/// What one operation leaves behind for backward: which it was, where its inputs came from, and what it saved.
///
/// A record never changes but for its saved tensors, which go when backward has used them. The inputs' edges point to
/// older records only, so there are no cycles, and a graph is freed with the last variable that leads to it: however
/// deep it is, by edges or by what hooks own, without recursion.
///
/// Records are made by a [`Recording`](crate::Recording), in one allocation if they have at most two inputs, one
/// output, two saved slots, and two attributes of each kind.
pub struct BackwardRecord {
    op: OpKind,
    inputs: SmallVec<[RecordedInput; 2]>,
    outputs: SmallVec<[RecordedOutput; 1]>,
    ints: SmallVec<[i64; 2]>,
    floats: SmallVec<[f64; 2]>,
    attributes: Option<Arc<Attributes>>,
    slots: Mutex<Slots>,
    hooks: Hooks,
}

/// Attributes of whatever type an operation has them in.
pub(crate) type Attributes = dyn Any + Send + Sync;

/// What a record knows of one input.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RecordedInput {
    /// Where the gradient of this input goes; [`Edge::NONE`] if it needs none.
    pub edge: Edge,
    /// The extents of the input, which are those of its gradient.
    pub shape: Shape,
    /// The dtype of the input, which is that of its gradient.
    pub dtype: DType,
}

/// What a record knows of one output.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct RecordedOutput {
    /// The extents of the output, which are those of its gradient.
    pub shape: Shape,
    /// The dtype of the output, which is that of its gradient.
    pub dtype: DType,
}

/// Saved tensors by position. A slot is empty when the operation did not need it.
pub(crate) type SavedSlots = SmallVec<[Option<SavedTensor>; 2]>;

/// Where the saved tensors are.
#[expect(clippy::large_enum_variant, reason = "a box would be a second allocation in every record")]
enum Slots {
    Kept(SavedSlots),
    /// With a walk that runs the rule of this record.
    InUse,
    Released,
}

impl BackwardRecord {
    /// The operation.
    pub fn op(&self) -> OpKind {
        self.op
    }

    /// The inputs, in order.
    pub fn inputs(&self) -> &[RecordedInput] {
        &self.inputs
    }

    /// The outputs, in order.
    pub fn outputs(&self) -> &[RecordedOutput] {
        &self.outputs
    }

    /// The integer attributes, such as axes and strides.
    pub fn ints(&self) -> &[i64] {
        &self.ints
    }

    /// The floating-point attributes, such as a scale.
    pub fn floats(&self) -> &[f64] {
        &self.floats
    }

    /// The attributes that are no mere numbers, if the operation left some of this type.
    pub fn attributes<T: Any>(&self) -> Option<&T> {
        self.attributes.as_deref()?.downcast_ref()
    }

    /// Whether the saved tensors are gone, so that backward can no longer pass here.
    pub fn is_released(&self) -> bool {
        matches!(*lock(&self.slots), Slots::Released)
    }

    /// Lets go of the saved tensors now. Memory that nobody else holds comes back: tensors that the operation made for
    /// backward, and inputs and outputs whose handles are gone.
    ///
    /// # Errors
    /// [`AutogradError::Released`] if they are gone already, or a walk is using them at the moment.
    pub fn release(&self) -> Result<(), AutogradError> {
        self.lend_slots()?.spend();
        Ok(())
    }

    #[inline]
    pub(crate) fn new(
        op: OpKind,
        inputs: SmallVec<[RecordedInput; 2]>,
        outputs: SmallVec<[RecordedOutput; 1]>,
        slots: SavedSlots,
        ints: SmallVec<[i64; 2]>,
        floats: SmallVec<[f64; 2]>,
        attributes: Option<Arc<Attributes>>,
    ) -> Self {
        let slots = Mutex::new(Slots::Kept(slots));
        Self { op, inputs, outputs, ints, floats, attributes, slots, hooks: Hooks::default() }
    }

    pub(crate) fn hooks(&self) -> &Hooks {
        &self.hooks
    }

    /// Whether some saved tensor was overwritten or is gone, as far as can be seen without guards.
    pub(crate) fn is_spoiled(&self) -> Result<bool, AutogradError> {
        match &*lock(&self.slots) {
            Slots::Kept(slots) => Ok(slots.iter().flatten().any(SavedTensor::is_spoiled)),
            Slots::InUse | Slots::Released => Err(AutogradError::Released { op: self.op }),
        }
    }

    /// The saved tensors for one run of the rule, which come back if it fails.
    pub(crate) fn lend_slots(&self) -> Result<LentSlots<'_>, AutogradError> {
        Ok(LentSlots { record: self, slots: Some(self.take_slots()?) })
    }

    /// Further handles to the saved tensors, for a walk that keeps the graph.
    pub(crate) fn share_slots(&self) -> Result<SavedSlots, AutogradError> {
        match &*lock(&self.slots) {
            Slots::Kept(slots) => Ok(slots.clone()),
            Slots::InUse | Slots::Released => Err(AutogradError::Released { op: self.op }),
        }
    }

    fn take_slots(&self) -> Result<SavedSlots, AutogradError> {
        let mut state = lock(&self.slots);
        match mem::replace(&mut *state, Slots::InUse) {
            Slots::Kept(slots) => Ok(slots),
            gone => {
                *state = gone;
                Err(AutogradError::Released { op: self.op })
            }
        }
    }

    /// Says what becomes of slots that were taken.
    fn set_slots(&self, slots: Slots) {
        *lock(&self.slots) = slots;
    }

    /// Moves the records behind this one to `unlinked`.
    fn unlink(&mut self, unlinked: &mut SmallVec<[Arc<Self>; 4]>) {
        for input in &mut self.inputs {
            if let EdgeTarget::Output(record, _) = mem::take(&mut input.edge).into_target() {
                unlinked.push(record);
            }
        }
    }
}

impl Drop for BackwardRecord {
    /// Frees what only this record kept alive, one by one: a long chain must not be a deep recursion.
    fn drop(&mut self) {
        let mut unlinked = SmallVec::new();
        self.unlink(&mut unlinked);
        while let Some(record) = unlinked.pop() {
            // Of several threads that drop their last handles at once, exactly one gets the record.
            if let Some(mut record) = Arc::into_inner(record) {
                record.unlink(&mut unlinked);
            }
        }
    }
}

impl fmt::Debug for BackwardRecord {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = formatter.debug_struct("BackwardRecord");
        text.field("op", &self.op).field("inputs", &self.inputs).field("outputs", &self.outputs);
        // Printed without the lock, for what is printed to may do anything.
        match self.share_slots() {
            Ok(slots) => text.field("saved", &slots),
            Err(_) if self.is_released() => text.field("saved", &format_args!("released")),
            Err(_) => text.field("saved", &format_args!("in use")),
        };
        text.field("ints", &self.ints).field("floats", &self.floats).field("hooks", &self.hooks.count()).finish()
    }
}

/// The saved tensors of a record while its rule runs. They come back when this drops, also by unwinding, unless they
/// are [spent](Self::spend).
pub(crate) struct LentSlots<'a> {
    record: &'a BackwardRecord,
    slots: Option<SavedSlots>,
}

impl LentSlots<'_> {
    pub(crate) fn as_slice(&self) -> &[Option<SavedTensor>] {
        self.slots.as_deref().unwrap_or_default()
    }

    /// Drops the tensors: the rule has run, and the record is released.
    pub(crate) fn spend(mut self) {
        self.record.set_slots(Slots::Released);
        // Without the lock, for the drop function of foreign memory may do anything.
        self.slots = None;
    }
}

impl Drop for LentSlots<'_> {
    fn drop(&mut self) {
        if let Some(slots) = self.slots.take() {
            self.record.set_slots(Slots::Kept(slots));
        }
    }
}
