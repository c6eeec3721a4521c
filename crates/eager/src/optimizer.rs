//! Optimisers: what turns gradients into steps.

mod adam;
mod formulas;
mod sgd;

pub use adam::{Adam, AdamW};
pub use sgd::Sgd;

use stratal_kernels::AnyViewMut;
use stratal_kernels::map::{Binary, Formula};
use stratal_ops::{read, write};
use stratal_tensor::memory::WriteGuard;
use stratal_tensor::{Tensor, TensorOptions};

use self::formulas::Combination;
use crate::engine::with_context;
use crate::{EagerError, Parameters, Var};

/// What turns gradients into steps.
///
/// A step writes the parameters in place, so a graph that saved them before can no longer go backward. Parameters without a
/// gradient stay as they are, with whatever is kept for them. States have the dtype of their parameter; all is computed in it,
/// 16-bit floats in f32.
pub trait Optimizer {
    /// Makes one step along the gradients that were collected. They stay: [`clear_gradients`](Self::clear_gradients) forgets them.
    ///
    /// # Errors
    /// [`EagerError::Tensor`] for a parameter in use. Parameters before it have been stepped then; it and those behind it have
    /// not, nor has anything that is kept for them.
    fn step(&mut self) -> Result<(), EagerError>;

    /// The parameters.
    fn parameters(&self) -> &Parameters;

    /// The rate of learning.
    fn rate(&self) -> f64;

    /// Sets the rate of learning, as schedules do.
    fn set_rate(&mut self, rate: f64);

    /// Forgets all gradients, before the next ones are collected.
    fn clear_gradients(&self) {
        self.parameters().clear_gradients();
    }
}

/// Zeros like a parameter: a state at the start.
fn zeros_like(parameter: &Var) -> Result<Tensor, EagerError> {
    Ok(TensorOptions::new(parameter.dtype()).zeroed(true).empty_of(*parameter.shape())?)
}

/// The gradient of a parameter, with its decay added, and nothing in common with its elements, which are about to be written.
fn gradient_of(parameter: &Var, weight_decay: f64) -> Result<Option<Tensor>, EagerError> {
    let target = parameter.tensor();
    Ok(match parameter.gradient() {
        Some(gradient) if weight_decay != 0.0 => {
            Some(combined(&Formula(Combination { of_a: weight_decay, of_b: 1.0 }), target, &gradient)?)
        }
        Some(gradient) if gradient.shares_buffer(target) => Some(gradient.copied()?),
        gradient => gradient,
    })
}

/// `target = formula(target, other)`.
fn update(target: &Tensor, formula: &dyn Binary, other: &Tensor) -> Result<(), EagerError> {
    update_opened(target, &mut target.storage_mut()?, formula, other)
}

/// [`update`] of a tensor that was opened before. So a parameter in use is found before its state moves on.
fn update_opened(
    target: &Tensor,
    opened: &mut WriteGuard<'_>,
    formula: &dyn Binary,
    other: &Tensor,
) -> Result<(), EagerError> {
    with_context(|context| {
        let held = read(other)?;
        let mut target = AnyViewMut::new(opened, target.dtype(), *target.geometry()?)?;
        Ok(context.kernels().binary_in_place(formula, &mut target, &held.view()?)?)
    })
}

/// `formula(a, b)`, in memory of its own.
fn combined(formula: &dyn Binary, a: &Tensor, b: &Tensor) -> Result<Tensor, EagerError> {
    let result = TensorOptions::new(a.dtype()).empty_of(*a.shape())?;
    with_context(|context| {
        let (a, b) = (read(a)?, read(b)?);
        let (a, b) = (a.view()?, b.view()?);
        write(&result, |result| context.kernels().binary(formula, &a, &b, result))?;
        Ok(())
    })?;
    Ok(result)
}
