//! Differentiable variables: operators that record, a backward rule for each, losses and optimisers.
#![forbid(unsafe_code)]
#![allow(dead_code, reason = "while families are being written")]

mod apply;
mod derivative;
mod elementwise;
mod engine;
mod error;
mod gradient_check;
mod in_place;
mod methods;
mod rules;
mod var;
mod views;

pub use apply::{apply, apply_outputs, apply_shared};
pub use elementwise::Operand;
pub use engine::{DerivativeInfo, derivatives, engine, grad, set_seed, without_derivative};
pub use error::EagerError;
pub use gradient_check::{GradientCheck, GradientReport, WorstGradient};
pub use in_place::apply_in_place;
pub use stratal_autograd::{GradOptions, enable_grad, no_grad};
pub use var::Var;
