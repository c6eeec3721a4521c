//! draft
#![forbid(unsafe_code)]

mod check;
mod edge;
mod engine;
mod error;
mod hook;
mod lock;
mod mode;
mod op_kind;
mod plan;
mod record;
mod recording;
mod rule;
mod rules;
mod saved;
mod slot;
mod variable;
mod walk;

pub use check::Place;
pub use edge::Edge;
pub use engine::{BackwardOptions, Engine, GradOptions, Output};
pub use error::AutogradError;
pub use hook::{Hook, HookHandle};
pub use mode::{GradScope, enable_grad, is_grad_enabled, no_grad, set_grad_enabled};
pub use op_kind::OpKind;
pub use record::{BackwardRecord, RecordedInput, RecordedOutput};
pub use recording::{Recording, should_record};
pub use rule::{Accumulate, Differentiable, InputGradients, Rule, RuleCall, RuleError};
pub use rules::Rules;
pub use saved::{SavedError, SavedOrigin, SavedTensor, Unpacked};
pub use slot::GradientSlot;
pub use stratal_tensor as tensor;
pub use variable::Variable;
