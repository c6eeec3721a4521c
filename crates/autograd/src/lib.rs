//! Who depends on whom, and what was saved: the machinery of gradients, without any arithmetic.
//!
//! An operation that works on a [`Variable`] which requires gradients leaves a [`BackwardRecord`]: its name, where its
//! inputs came from, and what it saved. Going backward, an [`Engine`] visits the records and asks the [`Rule`] of each
//! operation for the gradients of its inputs. What the operations compute is not this crate's subject: rules, and the
//! way to add gradients ([`Accumulate`]), are plugged in from above.
//!
//! # One graph, walked
//!
//! `y = x * w`, then `z = y + x`. Arrows are edges: they lead from a value to the record that made it, and from a record
//! to where its inputs came from. The records hold the graph; variables in between may be dropped.
//!
//! ```text
//!   z ---> record of add                        gradient of z: 1
//!          | input 0 ---> record of mul         1 for both: add hands it on
//!          |              | input 0 -----.
//!          |              | input 1 ---. |      1 * w for x, 1 * x for w
//!          |              | saved x, w | |
//!          | input 1 ----------------. | |      x has two gradients, which add up
//!                                    v | v
//!                  slot of leaf x <--+-|-'      w + 1
//!                  slot of leaf w <----'        x
//! ```
//!
//! The walk visits `add`, then `mul`: each record once, after all its users, in an order that follows from the graph
//! alone. As soon as the rule of `mul` has run, its record lets go of the saved `x` and `w`.
//!
//! ```
//! use stratal_autograd::{
//!     Accumulate, AutogradError, Engine, InputGradients, OpKind, Recording, RuleCall, RuleError, Rules, Variable,
//!     tensor::Tensor,
//! };
//!
//! const ADD: OpKind = OpKind::new("add");
//! const MUL: OpKind = OpKind::new("mul");
//!
//! // Operations record, and compute as they always did.
//! fn add(left: &Variable, right: &Variable) -> Result<Variable, AutogradError> {
//!     let recording = Recording::start(ADD, &[left, right]);
//!     recording.finish(combine(left, right, |left, right| left + right)?)
//! }
//!
//! fn mul(left: &Variable, right: &Variable) -> Result<Variable, AutogradError> {
//!     let mut recording = Recording::start(MUL, &[left, right]);
//!     recording.save_input(0);
//!     recording.save_input(1);
//!     recording.finish(combine(left, right, |left, right| left * right)?)
//! }
//!
//! fn combine(left: &Variable, right: &Variable, operation: fn(f32, f32) -> f32) -> Result<Tensor, AutogradError> {
//!     let (left, right) = (left.tensor().to_vec::<f32>()?, right.tensor().to_vec::<f32>()?);
//!     let elements: Vec<f32> = left.into_iter().zip(right).map(|(left, right)| operation(left, right)).collect();
//!     let extent = elements.len() as i64;
//!     Ok(Tensor::from_vec(elements, &[extent])?)
//! }
//!
//! // Rules say what their gradients are.
//! fn of_add(call: &RuleCall<'_>) -> Result<InputGradients, RuleError> {
//!     let gradient = call.only_gradient()?;
//!     Ok([gradient.clone(), gradient.clone()].into())
//! }
//!
//! fn of_mul(call: &RuleCall<'_>) -> Result<InputGradients, RuleError> {
//!     let (left, right) = (call.saved(0)?, call.saved(1)?);
//!     let gradient = call.only_gradient()?;
//!     Ok([mul(gradient, &right)?, mul(gradient, &left)?].into())
//! }
//!
//! struct Sum;
//!
//! impl Accumulate for Sum {
//!     fn add(&self, first: &Variable, second: &Variable) -> Result<Variable, RuleError> {
//!         Ok(add(first, second)?)
//!     }
//! }
//!
//! let mut rules = Rules::new();
//! rules.register(ADD, of_add)?;
//! rules.register(MUL, of_mul)?;
//! let engine = Engine::new(rules, Sum);
//!
//! let x = Variable::leaf(Tensor::from_vec(vec![2.0_f32], &[1])?)?;
//! let w = Variable::leaf(Tensor::from_vec(vec![5.0_f32], &[1])?)?;
//! let z = add(&mul(&x, &w)?, &x)?;
//! engine.backward(&z)?;
//! assert_eq!(x.gradient().unwrap().to_vec::<f32>()?, [6.0]); // w + 1
//! assert_eq!(w.gradient().unwrap().to_vec::<f32>()?, [2.0]); // x
//!
//! // What backward needs must be what it was.
//! let z = mul(&x, &w)?;
//! w.tensor().fill(7)?;
//! let error = engine.backward(&z).unwrap_err().to_string();
//! assert!(error.contains("it was at version 0 and is at version 1"), "{error}");
//! # Ok::<(), AutogradError>(())
//! ```
//!
//! # Where to look
//!
//! | question | page |
//! |---|---|
//! | When does an operation record, and at what cost? | [`Recording`], [`no_grad`] |
//! | How do I add an operation? | [`OpKind`], [`Recording`], [`Rule`], [`Rules`] |
//! | What does a rule get and return? | [`RuleCall`], [`InputGradients`] |
//! | Gradients into slots, or as values? | [`Engine::backward`], [`Engine::grad`] |
//! | How do I read a gradient, and empty its slot before the next step? | [`Variable::gradient`], [`GradientSlot`] |
//! | Gradients of gradients? | [`GradOptions::create_graph`], [`Differentiable`], [`Accumulate`] |
//! | What is left when a walk fails? What of threads? | [`Engine`] |
//! | May I write in place? | [`Variable::writable`], [`SavedTensor`] |
//! | Who sees a gradient on its way? | [`Variable::register_hook`] |
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

// The example of the README is a test too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
