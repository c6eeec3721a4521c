//! `AutogradError`: why something could not be recorded or walked, naming the operation and the values involved.

use stratal_tensor::{
    TensorError,
    base::{DType, Layout, Shape},
};

use crate::{OpKind, Place, RuleError, SavedError, SavedOrigin};

/// Why something could not be recorded, walked or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AutogradError {
    /// Only floating-point tensors have gradients.
    #[error("only floating-point tensors can require gradients, not {dtype}")]
    NotFloat {
        /// The dtype of the tensor.
        dtype: DType,
    },
    /// Blocked tensors belong to kernels, and have no gradients.
    #[error("a tensor in layout {layout} cannot require gradients; convert it with to_layout")]
    Blocked {
        /// The layout of the tensor.
        layout: Layout,
    },
    /// A write that the graph would not know of.
    #[error(
        "{operation} would overwrite a variable that requires gradients; do it within no_grad, or on a detached one"
    )]
    WriteWhileRecording {
        /// What was asked for.
        operation: &'static str,
    },
    /// A hook sees gradients, and here will be none.
    #[error("a variable that requires no gradients has none for a hook to see")]
    NothingToHook,
    /// A rule asked for a gradient that there is none of, which counts as zero.
    #[error("the rule of {op} asks for the gradient of output {output}, which was not used")]
    UnusedOutput {
        /// The operation.
        op: OpKind,
        /// Which output.
        output: usize,
    },
    /// A walk starts at variables that require gradients.
    #[error("output {output} of the walk requires no gradients, so there is nothing to walk")]
    OutputWithoutGradient {
        /// Which output of the walk.
        output: usize,
    },
    /// Only one element has a gradient that goes without saying.
    #[error(
        "output {output} of the walk has shape {shape}; only one element has the gradient 1 by itself, so give one"
    )]
    NoSeed {
        /// Which output of the walk.
        output: usize,
        /// Its shape.
        shape: Shape,
    },
    /// A gradient was asked for with respect to a constant, such as the handle that a leaf was made from.
    #[error("input {input} of the walk requires no gradients itself; ask for the leaf that was made of it")]
    InputWithoutGradient {
        /// Which input of the walk.
        input: usize,
    },
    /// A gradient was asked for with respect to something that the outputs do not depend on.
    #[error("the outputs of the walk do not depend on input {input}, so it has no gradient")]
    Unreachable {
        /// Which input of the walk.
        input: usize,
    },
    /// The saved tensors that backward needs are gone.
    #[error(
        "the saved tensors of {op} are gone: the graph was walked or released before, or another thread is walking it; \
         the walk before this one has to retain the graph"
    )]
    Released {
        /// The operation.
        op: OpKind,
    },
    /// A saved tensor is not what it was, or cannot be read.
    #[error("{op} cannot go backward with slot {slot} ({origin}): {source}")]
    Saved {
        /// The operation.
        op: OpKind,
        /// Which slot.
        slot: usize,
        /// What was saved in it.
        origin: SavedOrigin,
        /// Why not.
        source: SavedError,
    },
    /// A rule asked for a slot that the operation did not fill.
    #[error("the rule of {op} asks for slot {slot}, in which nothing was saved")]
    EmptySlot {
        /// The operation.
        op: OpKind,
        /// Which slot.
        slot: usize,
    },
    /// A rule asked for something that the operation did not save.
    #[error("the rule of {op} asks for {origin}, which was not saved")]
    NotSaved {
        /// The operation.
        op: OpKind,
        /// What was asked for.
        origin: SavedOrigin,
    },
    /// Nobody has registered a rule.
    #[error("{op} has no backward rule")]
    NoRule {
        /// The operation.
        op: OpKind,
    },
    /// An operation has one rule.
    #[error("{op} has a backward rule already")]
    DuplicateRule {
        /// The operation.
        op: OpKind,
    },
    /// The rule does not claim to have a derivative.
    #[error("the backward rule of {op} cannot be differentiated itself, so no graph can be created through it")]
    NotDifferentiable {
        /// The operation.
        op: OpKind,
    },
    /// A rule returns one gradient for each input.
    #[error("the rule of {op} returned {given} gradients for {expected} inputs")]
    WrongCount {
        /// The operation.
        op: OpKind,
        /// How many inputs there are.
        expected: usize,
        /// How many gradients were returned.
        given: usize,
    },
    /// A rule left out a gradient that is needed.
    #[error("the rule of {op} returned no gradient for input {input}, which needs one")]
    MissingGradient {
        /// The operation.
        op: OpKind,
        /// Which input.
        input: usize,
    },
    /// A gradient has the shape of what it belongs to.
    #[error("the gradient for {place} has shape {given} instead of {expected}")]
    WrongShape {
        /// What the gradient belongs to.
        place: Place,
        /// The shape of that.
        expected: Shape,
        /// The shape of the gradient.
        given: Shape,
    },
    /// A gradient has the dtype of what it belongs to.
    #[error("the gradient for {place} is {given} instead of {expected}")]
    WrongDType {
        /// What the gradient belongs to.
        place: Place,
        /// The dtype of that.
        expected: DType,
        /// The dtype of the gradient.
        given: DType,
    },
    /// A blocked tensor is no gradient.
    #[error("the gradient for {place} is in layout {layout}, which gradients cannot have")]
    BlockedGradient {
        /// What the gradient belongs to.
        place: Place,
        /// The layout of the gradient.
        layout: Layout,
    },
    /// A rule failed.
    #[error("the backward rule of {op} failed: {source}")]
    RuleFailed {
        /// The operation.
        op: OpKind,
        /// What the rule said.
        source: RuleError,
    },
    /// A hook failed.
    #[error("a hook on {place} failed: {source}")]
    HookFailed {
        /// What the hook is on.
        place: Place,
        /// What the hook said.
        source: RuleError,
    },
    /// Gradients that meet could not be added.
    #[error("adding up the gradients of {place} failed: {source}")]
    AccumulationFailed {
        /// Where they meet.
        place: Place,
        /// What the accumulation said.
        source: RuleError,
    },
    /// The graph that a walk creates would end at a sum, and what is behind it be missing from further gradients.
    #[error(
        "the sum of the gradients of {place} is cut out of the graph that is created; Accumulate::add has to record"
    )]
    SumNotRecorded {
        /// Where the gradients meet.
        place: Place,
    },
    /// A tensor could not be made, read or written.
    #[error(transparent)]
    Tensor(#[from] TensorError),
}
