//! Differentiable variables: operators that record, a backward rule for each, losses and optimisers.
//!
//! # How it fits together
//! ```text
//!   forward                                                     backward
//!
//!   Var methods, apply                                          Var::backward, grad
//!        │                                                            │
//!        │  which inputs and outputs will the rule read?              │  the engine of stratal_autograd visits each record,
//!        │  the operator computes, as for everyone else               │  users before what they used
//!        v                                                            v
//!   Var: tensor + edge ──> record: operator, shapes, saved ──> rule: gradients of outputs into those of inputs
//!                                                              written in Var methods: recorded again where a graph is wanted
//! ```
//!
//! Nothing here computes elements in a way of its own: variables are computed by the operators of `stratal_ops`, which know
//! nothing of gradients, so a model gives the same bits whether it is trained or only run. Views share elements, and gradients
//! find their way back through them.
//!
//! # Where to look
//! | for | see |
//! |---|---|
//! | variables and what is computed with them | [`Var`], whose methods are in families |
//! | an operator that has no method | [`apply`], [`apply_outputs`], [`apply_shared`] |
//! | gradients | [`Var::backward`] into leaves, [`grad`] as values |
//! | whether an operator goes backward | [`derivatives`], [`without_derivative`], `docs/operators.md` |
//! | not recording | [`no_grad`], [`Var::detach`] |
//! | writing in place | [`apply_in_place`], [`Var::set_data`] |
//! | losses | [`loss`] |
//! | training | [`Parameters`], [`Initializer`], [`Sgd`], [`Adam`], [`AdamW`], [`clip_gradient_norm`], [`Schedule`] |
//! | checking gradients | [`GradientCheck`] |
//! | rules and hooks of one's own | [`Var::as_variable`], [`Var::register_hook`], `stratal_autograd` |
//!
//! # Gradients of gradients
//! A rule is written in terms of recorded operations. So its gradients can be differentiated again, as often as one likes: with
//! [`GradOptions::create_graph`] in [`grad`]. [`derivatives`] says for each operator whether that is so; it is for all of them.
//!
//! Where an operator is piecewise constant, such as rounding, gradients are zeros. Where it has a kink they are those of one side:
//! of `relu` at 0 they are 0, and of `abs` too. What picks an element along axes, such as a maximum, has its gradient go to the
//! first of equal ones; operands that tie element by element have equal shares. `docs/numerics.md` has the whole table.
#![forbid(unsafe_code)]

mod apply;
mod clip;
mod composed;
mod derivative;
mod elementwise;
mod engine;
mod error;
mod gradient_check;
mod in_place;
mod initializer;
pub mod loss;
mod methods;
mod optimizer;
mod parameters;
mod private;
mod rules;
mod schedule;
mod var;
mod views;

pub use apply::{apply, apply_outputs, apply_shared};
pub use clip::{clip_gradient_norm, clip_gradient_value, gradient_norm};
pub use elementwise::Operand;
pub use engine::{DerivativeInfo, derivatives, engine, grad, set_seed, without_derivative};
pub use error::EagerError;
pub use gradient_check::{GradientCheck, GradientReport, WorstGradient};
pub use in_place::apply_in_place;
pub use initializer::Initializer;
pub use methods::{ConvOptions, PoolOptions};
pub use optimizer::{Adam, AdamW, Optimizer, Sgd};
pub use parameters::Parameters;
pub use schedule::{ConstantSchedule, CosineSchedule, LinearSchedule, Schedule, StepSchedule, Warmup};
pub use stratal_autograd::{GradOptions, enable_grad, no_grad};
pub use var::Var;

/// The example of the README, as a test.
#[cfg(doctest)]
mod readme {
    #[doc = include_str!("../README.md")]
    struct Crate;
}
