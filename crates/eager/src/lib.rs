//! Differentiable variables: operators that record, a backward rule for each, losses and optimisers.
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
